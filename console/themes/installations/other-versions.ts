import type { ResultOf } from '#console/graph/graphql.ts';
import { isInstallable } from '#console/themes/extension-columns.ts';
import type { Option } from '#console/ui/option.ts';
import { enumWord } from '#console/words/enums.ts';
import type { InstallationDetail } from './installations.documents.ts';

type Installation = ResultOf<typeof InstallationDetail>;

/** The versions that may be pinned instead, newest first. */
const otherVersions = ({ extension: { id, versions } }: Installation) =>
  versions.filter((version) => version.id !== id && isInstallable(version));

/** The same to choose from. */
export const versionOptions = (installation: Installation): readonly Option[] =>
  otherVersions(installation).map(({ id, version, status }) => ({
    value: id,
    label: `${version} (${enumWord(status)})`,
  }));

/** The newest version that may be pinned, if it came after the one that is. */
export const newestVersion = (installation: Installation) =>
  otherVersions(installation).find(({ databaseId }) => databaseId > installation.extension.databaseId);
