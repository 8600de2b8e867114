import type { ResultOf } from '#console/graph/graphql.ts';
import * as format from '#console/ui/formats.tsx';
import { JsonTree } from '#console/ui/json-tree.tsx';
import { lazily } from '#console/ui/lazily.tsx';
import { NestedList } from '#console/ui/screens/nested-list.tsx';
import { type Column, detail, list, nestedList, type Screens } from '#console/ui/screens/screen.ts';
import { Table } from '#console/ui/screens/table.tsx';
import { CreateNodePackage } from './connect/connect.documents.ts';
import { DeleteNode, NodePage, Nodes, UploadNodePackage, VersionsOfNode } from './node-packages.documents.ts';
import { nodeWords as w } from './node-packages.words.ts';

type Node = NonNullable<ResultOf<typeof NodePage>['nodeDefinition']>;
type Version = NonNullable<ResultOf<typeof VersionsOfNode>['nodeVersions']>['edges'][number]['node'];

/** A node is named by slug and version in the address, because the graph reads one by them: `core:log@1.0.0`. */
const open = ({ slug, version }: { slug: string; version: string }) => ({
  noun: 'node-packages',
  id: `${slug}@${version}`,
});

const nodeList = list('nodes', Nodes, {
  columns: [
    { key: 'name', label: w.name, show: format.text((node) => node.name), width: 'minmax(144px, 2fr)' },
    { key: 'slug', label: w.slug, show: format.text((node) => node.slug), width: 'minmax(144px, 2fr)' },
    { key: 'version', label: w.version, show: format.text((node) => node.version), width: '88px' },
    { key: 'kind', label: w.kind, show: format.word((node) => node.kind), width: '112px' },
    { key: 'package', label: w.package, show: format.text((node) => node.package.label), width: 'minmax(112px, 1fr)' },
    {
      key: 'description',
      label: w.description,
      show: format.text((node) => node.description),
      width: 'minmax(160px, 4fr)',
    },
  ],
  filters: [
    { kind: 'text', key: 'q', member: 'search', label: w.search },
    { kind: 'choice', key: 'kind', label: w.kind, many: true, options: ['ACTION', 'TRANSFORM', 'CONTROL'] },
    { kind: 'text', key: 'package', label: w.packageName },
    { kind: 'flag', key: 'latest', label: w.latest },
  ],
  open,
  actions: [
    {
      key: 'upload',
      label: w.upload,
      document: UploadNodePackage,
      form: { fields: ['orgId', 'archive'], lookups: { orgId: { noun: 'organisations', by: 'slug' } } },
      done: w.uploaded,
      opens: (payload) => {
        const [first] = (payload['nodePackage'] as { nodes: Parameters<typeof open>[0][] }).nodes;
        return first && open(first);
      },
    },
  ],
  links: [{ id: 'connect', label: w.connect, document: CreateNodePackage }],
  empty: w.empty,
});

const versions = nestedList(VersionsOfNode, ({ nodeVersions }) => nodeVersions, {
  columns: [
    { key: 'version', label: w.version, show: format.text((version: Version) => version.version) },
    { key: 'package', label: w.package, show: format.text((version: Version) => version.package.version) },
    { key: 'created', label: w.created, show: format.exactTime((version: Version) => version.createdAt) },
  ],
  open,
  empty: w.noVersions,
});

type Port = Omit<Node['inputs'][number], 'required'> & { required?: boolean };

const portColumns: readonly Column<Port>[] = [
  { key: 'name', label: w.port, show: format.handle((port) => port.name) },
  { key: 'type', label: w.type, show: format.word((port) => port.type) },
  { key: 'description', label: w.description, show: format.text((port) => port.description) },
];

const inputColumns: readonly Column<Port>[] = [
  ...portColumns,
  { key: 'required', label: w.required, show: format.flag((port) => port.required) },
];

const fieldColumns: readonly Column<Node['fields'][number]>[] = [
  { key: 'key', label: w.key, show: format.handle((field) => field.key) },
  { key: 'label', label: w.label, show: format.text((field) => field.label) },
  { key: 'type', label: w.type, show: format.word((field) => field.type) },
  { key: 'required', label: w.required, show: format.flag((field) => field.required) },
  { key: 'help', label: w.help, show: format.text((field) => field.help) },
];

const nodePage = detail('nodeDefinition', NodePage, {
  variables: (id) => {
    const [slug = '', version = 'latest'] = id.replaceAll('=', '').split('@');
    return { slug, version };
  },
  title: (node) => w.title(node.name, node.version),
  facts: [
    { key: 'description', label: w.description, show: format.text((node) => node.description) },
    { key: 'slug', label: w.slug, show: format.handle((node) => node.slug) },
    { key: 'kind', label: w.kind, show: format.word((node) => node.kind) },
    {
      key: 'package',
      label: w.package,
      show: format.text(({ package: { label, version } }) => `${label} ${version}`),
    },
    {
      key: 'branches',
      label: w.branches,
      show: format.text(({ branches, branchesFrom }) =>
        [...branches, ...(branchesFrom ? [branchesFrom] : [])].join(', '),
      ),
    },
    { key: 'manifestVersion', label: w.manifestVersion, show: format.text((node) => node.manifestVersion) },
    { key: 'created', label: w.created, show: format.exactTime((node) => node.createdAt) },
  ],
  sections: [
    {
      key: 'inputs',
      title: w.inputs,
      draw: ({ inputs }) => <Table rows={inputs} columns={inputColumns} label={w.inputs} />,
    },
    {
      key: 'outputs',
      title: w.outputs,
      draw: ({ outputs }) => <Table rows={outputs} columns={portColumns} label={w.outputs} />,
    },
    {
      key: 'fields',
      title: w.fields,
      draw: ({ fields }) => <Table rows={fields} columns={fieldColumns} label={w.fields} />,
    },
    {
      key: 'schemas',
      title: w.outputSchemas,
      when: ({ outputSchemas }) => outputSchemas.length > 0,
      draw: ({ outputSchemas }) => (
        <JsonTree value={Object.fromEntries(outputSchemas.map(({ branch, schema }) => [branch, schema]))} />
      ),
    },
    {
      key: 'versions',
      title: w.versions,
      draw: ({ slug }) => <NestedList screen={versions} variables={{ slug }} label={w.versions} />,
    },
    { key: 'manifest', title: w.manifest, draw: (node) => <JsonTree value={node.manifest} /> },
  ],
  actions: [
    {
      key: 'delete',
      label: w.remove,
      document: DeleteNode,
      allowed: (node) => node.viewerCan.delete,
      input: ({ slug, version }) => ({ slug, version }),
      confirm: ({ slug, version }) => w.removeConfirm(slug, version),
      isDanger: true,
      done: w.removed,
    },
  ],
});

const ConnectApi = lazily(() => import('./connect/connect-api.tsx').then(({ ConnectApi: page }) => page));

export const nodePackages: Screens = {
  list: nodeList,
  detail: nodePage,
  pages: { connect: () => <ConnectApi /> },
};
