import { isInReview, isInstallable } from '#console/themes/extension-columns.ts';
import type { Extension } from '#console/themes/extensions.documents.ts';
import type { Action } from '#console/ui/screens/action.ts';
import {
  InstallExtension,
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

export const extensionActions: readonly Action<Extension>[] = [
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
    allowed: (extension) => extension.viewerCan.install && isInstallable(extension),
    input: ({ id }) => ({ extensionId: id }),
    confirm: (extension) => w.installConfirm(nameOf(extension)),
    done: w.installed,
    opens: (payload) => ({ noun: 'installations', id: (payload['installation'] as { id: string }).id }),
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
