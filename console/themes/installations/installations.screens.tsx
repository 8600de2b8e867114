import type { ResultOf } from '#console/graph/graphql.ts';
import { BlockPreviews } from '#console/themes/block-previews.tsx';
import { handleOf } from '#console/themes/extension-columns.ts';
import { themeWords } from '#console/themes/themes.words.ts';
import * as format from '#console/ui/formats.tsx';
import { type Column, detail, list, type Screens } from '#console/ui/screens/screen.ts';
import { installationActions } from './installation-actions.ts';
import { InstallationPage, type InstallationRow, Installations } from './installations.documents.ts';
import { installationWords as w } from './installations.words.ts';
import { NewestChanges } from './newest-changes.tsx';
import { newestVersion } from './other-versions.ts';

type Row = ResultOf<typeof InstallationRow>;

const handle = ({ extension }: Row): string => handleOf(extension);
const hidden: Column<Row> = {
  key: 'hidden',
  label: w.hidden,
  show: format.text((installation) => installation.whyHidden),
  width: 'minmax(160px, 4fr)',
};

const installationList = list('installations', Installations, {
  columns: [
    {
      key: 'name',
      label: themeWords.extension,
      show: format.text(({ extension }) => extension.title),
      width: 'minmax(144px, 2fr)',
    },
    { key: 'handle', label: themeWords.handle, show: format.text(handle), width: 'minmax(144px, 2fr)' },
    { key: 'pinned', label: w.pinned, show: format.text(({ extension }) => extension.version), width: '128px' },
    { key: 'status', label: themeWords.status, show: format.state((installation) => installation.status) },
    hidden,
    { key: 'changed', label: w.changedAt, show: format.time((installation) => installation.updatedAt) },
  ],
  filters: [
    {
      kind: 'choice',
      key: 'status',
      label: themeWords.status,
      many: true,
      options: ['INSTALLED', 'DISABLED', 'UNINSTALLED'],
    },
  ],
  empty: w.empty,
});

const installationPage = detail('installation', InstallationPage, {
  title: ({ extension }) => extension.title,
  state: (installation) => installation.status,
  facts: [
    {
      key: 'pinned',
      label: w.pinned,
      show: format.link(
        'extensions',
        ({ extension }) => extension,
        ({ extension }) => extension.version,
      ),
    },
    { key: 'handle', label: themeWords.handle, show: format.handle(handle) },
    hidden,
    { key: 'installed', label: w.installedAt, show: format.exactTime((installation) => installation.createdAt) },
    { key: 'changed', label: w.changedAt, show: format.exactTime((installation) => installation.updatedAt) },
  ],
  sections: [
    {
      key: 'blocks',
      title: themeWords.blocks,
      draw: ({ extension }) => <BlockPreviews version={extension} />,
    },
    {
      key: 'newest',
      title: w.newest,
      when: (installation) => newestVersion(installation) !== undefined,
      draw: (installation) => (
        <NewestChanges id={newestVersion(installation)?.id ?? ''} pinned={installation.extension.id} />
      ),
    },
  ],
  actions: installationActions,
});

export const installations: Screens = { list: installationList, detail: installationPage };
