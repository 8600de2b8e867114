import type { ResultOf } from '#console/graph/graphql.ts';
import { isInReview, isInstallable } from '#console/themes/extension-columns.ts';
import type { Extension } from '#console/themes/extensions.documents.ts';
import type { Action } from '#console/ui/screens/action.ts';
import {
  type ExtensionDetail,
  InstallExtension,
  PinExtension,
  PublishExtension,
  RegisterExtension,
  RejectExtension,
  WithdrawExtension,
} from './extensions.documents.ts';
import { extensionWords as w } from './extensions.words.ts';

const nameOf = ({ title, version }: Extension): string => w.name(title, version);

export const registerExtension: Action<null> = {
  key: 'register',
  label: w.register,
  document: RegisterExtension,
  form: { fields: ['url'] },
  done: w.registeredNow,
  opens: (payload) => ({ noun: 'extensions', id: (payload['extension'] as Extension).id }),
};

const openInstallation = (payload: Record<string, unknown>) => ({
  noun: 'installations',
  id: (payload['installation'] as { id: string }).id,
});

export const extensionActions: readonly Action<ResultOf<typeof ExtensionDetail>>[] = [
  {
    key: 'publish',
    label: w.publish,
    document: PublishExtension,
    allowed: (extension) => extension.viewerCan.publish && isInReview(extension),
    confirm: (extension) => w.publishConfirm(nameOf(extension)),
    done: w.published,
  },
  {
    key: 'reject',
    label: w.reject,
    document: RejectExtension,
    allowed: (extension) => extension.viewerCan.reject && isInReview(extension),
    form: { fields: ['reason'] },
    isDanger: true,
    done: w.rejected,
  },
  {
    key: 'install',
    label: w.install,
    document: InstallExtension,
    allowed: (extension) => extension.viewerCan.install && !extension.installation && isInstallable(extension),
    input: ({ id }) => ({ extensionId: id }),
    confirm: (extension) => w.installConfirm(nameOf(extension)),
    done: w.installed,
    opens: openInstallation,
  },
  {
    key: 'pin',
    label: w.pin,
    document: PinExtension,
    allowed: (extension) =>
      extension.installation?.viewerCan.upgrade === true &&
      extension.installation.extension.id !== extension.id &&
      isInstallable(extension),
    input: ({ id, installation }) => ({ id: installation?.id, extensionId: id }),
    confirm: ({ title, version, installation }) =>
      w.pinConfirm(w.name(title, version), installation?.extension.version ?? ''),
    done: w.pinned,
    opens: openInstallation,
  },
  {
    key: 'withdraw',
    label: w.withdraw,
    document: WithdrawExtension,
    // One that goes on where it is installed may be blocked later.
    allowed: ({ viewerCan, status, blocked }) =>
      viewerCan.withdraw && (status === 'PUBLISHED' || (status === 'WITHDRAWN' && !blocked)),
    form: { fields: ['reason', 'block'] },
    confirm: (extension) => w.withdrawConfirm(nameOf(extension)),
    isDanger: true,
    done: w.withdrawn,
  },
];
