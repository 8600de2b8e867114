import type { ResultOf } from '#console/graph/graphql.ts';
import type { Action } from '#console/ui/screens/action.ts';
import {
  DisableInstallation,
  EnableInstallation,
  type InstallationDetail,
  UninstallExtension,
  UpgradeInstallation,
} from './installations.documents.ts';
import { installationWords as w } from './installations.words.ts';
import { versionOptions } from './other-versions.ts';

export const installationActions: readonly Action<ResultOf<typeof InstallationDetail>>[] = [
  {
    key: 'upgrade',
    label: w.upgrade,
    document: UpgradeInstallation,
    allowed: (installation) =>
      installation.viewerCan.upgrade &&
      installation.status !== 'UNINSTALLED' &&
      versionOptions(installation).length > 0,
    form: { fields: ['extensionId'], choices: { extensionId: versionOptions } },
    done: w.upgraded,
  },
  {
    key: 'disable',
    label: w.disable,
    document: DisableInstallation,
    allowed: ({ viewerCan, status }) => viewerCan.disable && status === 'INSTALLED',
    confirm: () => w.disableAbout,
    done: w.disabled,
  },
  {
    key: 'enable',
    label: w.enable,
    document: EnableInstallation,
    allowed: ({ viewerCan, status }) => viewerCan.enable && status === 'DISABLED',
    confirm: () => w.enableAbout,
    done: w.enabled,
  },
  {
    key: 'uninstall',
    label: w.uninstall,
    document: UninstallExtension,
    allowed: ({ viewerCan, status }) => viewerCan.uninstall && status !== 'UNINSTALLED',
    input: ({ id }) => ({ installationId: id }),
    confirm: ({ extension }) => w.uninstallConfirm(extension.title),
    isDanger: true,
    done: w.uninstalled,
  },
];
