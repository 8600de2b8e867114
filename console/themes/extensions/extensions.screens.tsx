import type { ResultOf } from '#console/graph/graphql.ts';
import { BlockPreviews } from '#console/themes/block-previews.tsx';
import { extensionColumns, extensionFilters, handleOf } from '#console/themes/extension-columns.ts';
import { Extensions } from '#console/themes/extensions.documents.ts';
import { manifestOf } from '#console/themes/manifest.ts';
import { themeWords } from '#console/themes/themes.words.ts';
import { CopyText } from '#console/ui/copy-text.tsx';
import * as format from '#console/ui/formats.tsx';
import { JsonTree } from '#console/ui/json-tree.tsx';
import { type Column, detail, type Format, list, type Screens } from '#console/ui/screens/screen.ts';
import { Table } from '#console/ui/screens/table.tsx';
import { enumWord } from '#console/words/enums.ts';
import { extensionActions, registerExtension } from './extension-actions.ts';
import { type ExtensionDetail, ExtensionPage } from './extensions.documents.ts';
import { extensionWords as w } from './extensions.words.ts';
import { RequestSecret } from './request-secret.tsx';
import { Review } from './review.tsx';

type Extension = ResultOf<typeof ExtensionDetail>;
type File = Extension['assets'][number];
type Version = Extension['versions'][number];

const extensionList = list('extensions', Extensions, {
  columns: extensionColumns,
  filters: extensionFilters,
  actions: [registerExtension],
  empty: w.empty,
});

/** A handle in one line, however narrow its table is, which scrolls. */
const unbroken = (get: (file: File) => string): Format<File> => ({
  text: get,
  draw: (file) => (
    <span className="unbroken">
      <CopyText text={get(file)} />
    </span>
  ),
});

const fileColumns: readonly Column<File>[] = [
  { key: 'path', label: w.path, show: unbroken((file) => file.path) },
  { key: 'type', label: w.type, show: format.text((file) => file.contentType) },
  { key: 'size', label: w.size, show: format.number((file) => file.size) },
  { key: 'elements', label: w.elements, show: format.text((file) => file.elements.join(', ')) },
  { key: 'integrity', label: w.integrity, show: unbroken((file) => file.integrity) },
];

const versionColumns: readonly Column<Version>[] = [
  {
    key: 'version',
    label: themeWords.version,
    show: format.link(
      'extensions',
      (version) => version,
      (version) => version.version,
    ),
  },
  { key: 'status', label: themeWords.status, show: format.state((version) => version.status) },
  { key: 'registered', label: themeWords.registered, show: format.exactTime((version) => version.createdAt) },
];

const extensionPage = detail('extension', ExtensionPage, {
  title: ({ title, version }) => w.name(title, version),
  state: (extension) => extension.status,
  facts: [
    { key: 'reason', label: w.reason, show: format.text((extension) => extension.reason) },
    { key: 'blocked', label: w.blocked, show: format.text(({ blocked }) => (blocked ? enumWord('yes') : '')) },
    { key: 'description', label: w.description, show: format.text((extension) => manifestOf(extension).description) },
    { key: 'handle', label: themeWords.handle, show: format.handle(handleOf) },
    { key: 'version', label: themeWords.version, show: format.text((extension) => extension.version) },
    { key: 'type', label: themeWords.access, show: format.word((extension) => extension.type) },
    {
      key: 'here',
      label: w.here,
      show: format.link(
        'installations',
        ({ installation }) => installation,
        ({ installation }) => installation?.extension.version,
      ),
    },
    {
      key: 'target',
      label: w.target,
      show: format.text((extension) => {
        const { theme, version } = manifestOf(extension).target;
        return `${theme} ${version}`;
      }),
    },
    { key: 'site', label: w.site, show: format.handle((extension) => extension.url) },
    { key: 'registered', label: themeWords.registered, show: format.exactTime((extension) => extension.createdAt) },
  ],
  sections: [
    { key: 'changes', title: w.changes, draw: (extension) => <Review extension={extension} /> },
    { key: 'blocks', title: themeWords.blocks, draw: (extension) => <BlockPreviews version={extension} /> },
    {
      key: 'files',
      title: w.files,
      draw: ({ assets }) => <Table rows={assets} columns={fileColumns} label={w.files} />,
    },
    {
      key: 'versions',
      title: w.versions,
      draw: ({ versions }) => <Table rows={versions} columns={versionColumns} label={w.versions} />,
    },
    {
      key: 'secret',
      title: w.secret,
      // The right to install is that of an administrator, who may read it.
      when: ({ viewerCan }) => viewerCan.install,
      draw: ({ id }) => <RequestSecret id={id} />,
    },
    { key: 'manifest', title: w.manifest, draw: ({ manifest }) => <JsonTree value={manifest} /> },
  ],
  actions: extensionActions,
});

export const extensions: Screens = { list: extensionList, detail: extensionPage };
