import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { mutationInput } from '#src/graphql/mutation-input.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg, decodeText, pageByText } from '#src/graphql/paging/connections.ts';
import { pageBySignedText, readPageCursors } from '#src/graphql/paging/signed-pages.ts';
import { isRow } from '#src/graphql/rows.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import type { StateEntry } from './state-entries.store.ts';
import type { StateNamespace } from './state-namespaces.store.ts';
import { putEntryInput, stateLimits } from './state.inputs.ts';
import {
  countEntries,
  countNamespaces,
  findEntry,
  findNamespace,
  hasNamespace,
  isNamespace,
  listNamespaces,
  type PagedEntry,
  pageEntries,
  readPrefix,
} from './state.reads.ts';
import { deleteEntry, putEntry } from './state.service.ts';

const StateNamespaceRef = builder.objectRef<StateNamespace>('StateNamespace');

builder.node(StateNamespaceRef, {
  id: { resolve: ({ namespace }) => namespace },
  loadOne: (namespace, context) => findNamespace(context.deps.database, inTenant(context).tenantId, namespace),
  isTypeOf: (value) => isRow(value, 'namespace', 'entries'),
  authScopes: { member: true },
  description:
    'A part of the tenant’s state store that workflows declare to use. What has expired counts until it is deleted.',
  fields: (t) => ({
    namespace: t.exposeString('namespace', { description: 'Its name, unique in the tenant.' }),
    entries: t.expose('entries', { type: 'Long', description: 'How many it holds.' }),
    bytes: t.expose('bytes', { type: 'Long', description: 'Of keys, and of values as JSON text.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Of the last change, to the second.' }),
  }),
});

const StateEntryPermissions = permissionsType('StateEntryPermissions', {
  update: 'putStateEntry',
  delete: 'deleteStateEntry',
});

const StateEntryRef = builder.objectRef<StateEntry>('StateEntry');

/** The key is any text, so it is written as a URL would. */
const entryId = ({ namespace, key }: StateEntry): string => `${namespace}/${encodeURIComponent(key)}`;

function readEntryId(id: string): { namespace: string; key: string } {
  const [namespace = '', key = ''] = id.split('/', 2);
  return { namespace, key: decodeText(key) ?? '' };
}

builder.node(StateEntryRef, {
  id: { resolve: entryId },
  loadOne: (id, context) => findEntry(context.deps.database, inTenant(context).tenantId, readEntryId(id)),
  isTypeOf: (value) => isRow(value, 'namespace', 'key'),
  authScopes: { member: true },
  description: 'What workflows remember between runs, under a key of their own.',
  fields: (t) => ({
    namespace: t.exposeString('namespace', { description: 'The namespace it is in.' }),
    key: t.exposeString('key', { description: 'Unique in the namespace; at most 512 characters.' }),
    value: t.expose('value', { type: 'JSON', description: 'Any JSON, at most 256 KiB as text.', nullable: true }),
    version: t.expose('version', {
      type: 'Long',
      description: 'From 1, counting the writes since the entry was made.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'From then on there is no entry.',
    }),
    viewerCan: t.field({ type: StateEntryPermissions, resolve: () => permissions }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

const Connection = defineConnection(StateEntryRef);
builder.objectFields(Connection, (t) => ({
  nextCursor: t.string({
    nullable: true,
    description: 'For `cursor`: the entries after these. Null at the last.',
    resolve: (page) => readPageCursors(page).nextCursor,
  }),
  prevCursor: t.string({
    nullable: true,
    description: 'For `cursor`: the entries before these. Null at the first.',
    resolve: (page) => readPageCursors(page).prevCursor,
  }),
}));

builder.queryFields((t) => ({
  stateNamespaces: t.connection(
    {
      type: StateNamespaceRef,
      authScopes: { member: true },
      description: `By name; a tenant has at most ${stateLimits.namespaces}.`,
      args: { offset: t.arg.int(offsetArg) },
      resolve: (_root, page, context) => {
        const { deps, tenantId } = inTenant(context);
        return pageByText<StateNamespace>(
          page,
          ({ namespace }) => namespace,
          (names) => listNamespaces(deps.database, tenantId, names),
          () => countNamespaces(deps.database, tenantId),
        );
      },
    },
    defineConnection(StateNamespaceRef),
  ),
  stateEntries: t.connection(
    {
      type: StateEntryRef,
      nullable: true,
      authScopes: { member: true },
      description:
        'Entries in the order of their keys’ bytes; null where neither an entry nor a workflow names the namespace. A page ends early, with one entry at least, before it would pass 4 MiB of keys and values; cursors go on from there.',
      args: {
        namespace: t.arg.string({ description: 'The name of the namespace.', required: true }),
        prefix: t.arg.string({ description: 'What the keys begin with.' }),
        cursor: t.arg.string({
          description:
            'A page’s nextCursor or prevCursor, with `first` for the size; stands alone. Good for this prefix only.',
        }),
        offset: t.arg.int(offsetArg),
      },
      resolve: async (_root, { namespace, prefix: given, ...page }, context) => {
        const { deps, tenantId } = inTenant(context);
        if (!isNamespace(namespace)) return null;
        const filter = { namespace, prefix: readPrefix(given) };
        const found = await pageBySignedText(
          deps.cursors,
          ['state-entries', tenantId, namespace, filter.prefix],
          page,
          ({ key }: PagedEntry) => key,
          (keys) =>
            deps.database.tenantQuery<PagedEntry & Record<string, unknown>>(
              tenantId,
              pageEntries(tenantId, filter, keys),
            ),
          (most) => countEntries(deps.database, tenantId, filter, most),
          { fits: ({ fits }) => fits },
        );
        return found.edges.length > 0 || (await hasNamespace(deps.database, tenantId, namespace)) ? found : null;
      },
    },
    Connection,
  ),
  stateEntry: t.field({
    type: StateEntryRef,
    description: 'An entry of the state store; null where there is none, or it has expired.',
    nullable: true,
    authScopes: { member: true },
    args: {
      namespace: t.arg.string({ description: 'The namespace it is in.', required: true }),
      key: t.arg.string({ description: 'Its whole key.', required: true }),
    },
    resolve: (_root, entry, context) => findEntry(context.deps.database, inTenant(context).tenantId, entry),
  }),
}));

builder.relayMutationField(
  'putStateEntry',
  {
    description: 'Corrects an entry, or makes one in a namespace that is in use or declared by a workflow.',
    ...mutationInput(putEntryInput, (t) => ({
      namespace: t.string({
        description: 'A letter or digit, then up to 63 letters, digits, `_`, `.` or `-`.',
        required: true,
      }),
      key: t.string({ description: '1 to 512 characters.', required: true }),
    })),
  },
  {
    description: 'Writes an entry by hand, over what is there.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: (_root, { input }, context) => putEntry(context.deps, inTenant(context).actor, input),
  },
  {
    outputFields: (t) => ({
      entry: t.field({ type: StateEntryRef, description: 'The entry as it is now.', resolve: ({ entry }) => entry }),
      made: t.exposeBoolean('made', { description: 'False where the key was there and has a new value.' }),
    }),
  },
);

builder.relayMutationField(
  'deleteStateEntry',
  {
    inputFields: (t) => ({
      namespace: t.string({ description: 'The namespace it is in.', required: true }),
      key: t.string({ description: 'Its whole key.', required: true }),
    }),
  },
  {
    description: 'Deletes an entry.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input }, context) => {
      const { deps, actor } = inTenant(context);
      await deleteEntry(deps, actor, input);
      return { deletedKey: input.key };
    },
  },
  {
    outputFields: (t) => ({
      deletedKey: t.exposeString('deletedKey', { description: 'The key of the deleted entry.' }),
    }),
  },
);
