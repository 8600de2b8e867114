import type { ResultOf } from '#console/graph/graphql.ts';
import * as format from '#console/ui/formats.tsx';
import { JsonTree } from '#console/ui/json-tree.tsx';
import { member } from '#console/ui/screens/columns.ts';
import { NestedList } from '#console/ui/screens/nested-list.tsx';
import { detail, list, nestedList, type RowOf, type Screens } from '#console/ui/screens/screen.ts';
import {
  DeleteStateEntry,
  EntryPage,
  type EntryRow,
  NamespacePage,
  PutStateEntry,
  StateEntries,
  StateNamespaces,
} from './state.documents.ts';
import { stateWords as w } from './state.words.ts';

type Namespace = RowOf<ResultOf<typeof StateNamespaces>, 'stateNamespaces'>;

const openEntry = (payload: Record<string, unknown>) => ({
  noun: 'state-entries',
  id: (payload['entry'] as { id: string }).id,
});

const size = [
  { key: 'entries', label: w.entries, show: format.number(({ entries }: Namespace) => entries) },
  { key: 'bytes', label: w.bytes, show: format.number(({ bytes }: Namespace) => bytes) },
];

const namespaceList = list('stateNamespaces', StateNamespaces, {
  columns: [
    { key: 'namespace', label: w.namespace, show: format.text((row) => row.namespace), width: 'minmax(160px, 1fr)' },
    ...size,
    member('updatedAt', format.time),
  ],
  empty: w.empty,
});

type Entry = ResultOf<typeof EntryRow>;

const entries = nestedList(StateEntries, (data) => data.stateEntries, {
  columns: [
    { key: 'key', label: w.key, show: format.text((entry: Entry) => entry.key) },
    { key: 'version', label: w.version, show: format.number((entry: Entry) => entry.version) },
    { key: 'expires', label: w.expires, show: format.exactTime((entry: Entry) => entry.expiresAt) },
    { key: 'updated', label: w.updated, show: format.time((entry: Entry) => entry.updatedAt) },
  ],
  open: ({ id }) => ({ noun: 'state-entries', id }),
  empty: w.noEntries,
});

const namespacePage = detail('node', NamespacePage, {
  title: ({ namespace }) => namespace,
  facts: [...size, member('updatedAt', format.exactTime)],
  sections: [
    {
      key: 'entries',
      title: w.entries,
      draw: ({ namespace }) => <NestedList screen={entries} variables={{ namespace }} label={w.entries} />,
    },
  ],
  actions: [
    {
      key: 'add',
      label: w.add,
      document: PutStateEntry,
      input: ({ namespace }) => ({ namespace, version: 0 }),
      form: { fields: ['key', 'value'] },
      done: w.saved,
      opens: openEntry,
    },
  ],
});

const entryPage = detail('node', EntryPage, {
  title: (entry) => entry.key,
  facts: [
    { key: 'namespace', label: w.namespace, show: format.text((entry) => entry.namespace) },
    { key: 'version', label: w.version, show: format.number((entry) => entry.version) },
    { key: 'expires', label: w.expires, show: format.exactTime((entry) => entry.expiresAt) },
    member('updatedAt', format.exactTime),
    member('createdAt', format.exactTime),
  ],
  sections: [{ key: 'value', title: w.value, draw: ({ value }) => <JsonTree value={value} /> }],
  actions: [
    {
      key: 'edit',
      saves: true,
      label: w.edit,
      document: PutStateEntry,
      allowed: (entry) => entry.viewerCan.update,
      // A workflow may have written it since: the version that was read is the one that is corrected.
      input: ({ namespace, key, version }) => ({ namespace, key, version }),
      form: { fields: ['value'], initial: ({ value }) => ({ value }) },
      done: w.saved,
    },
    {
      key: 'delete',
      label: w.remove,
      document: DeleteStateEntry,
      allowed: (entry) => entry.viewerCan.delete,
      input: ({ namespace, key }) => ({ namespace, key }),
      confirm: ({ namespace, key }) => w.removeConfirm(namespace, key),
      isDanger: true,
      done: w.removed,
    },
  ],
});

export const state: Screens = { list: namespaceList, detail: namespacePage };
/** Opened from the page of their namespace. */
export const stateEntries: Screens = { detail: entryPage };
