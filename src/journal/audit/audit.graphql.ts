import { encodeGlobalID, type NodeObjectOptions } from '@pothos/plugin-relay';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';
import { inputRef } from '#src/graphql/mutation-input.ts';
import { nodeAccess } from '#src/graphql/node-access.ts';
import { createNodeLoader, nodeKey } from '#src/graphql/node-loader.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg } from '#src/graphql/paging/connections.ts';
import { pageBySignedText, readPageCursors } from '#src/graphql/paging/signed-pages.ts';
import { parseInput, readId } from '#src/infra/inputs.ts';
import { actorKey, actorKind, actorKinds, findActorNames, nameInEntry } from './audit-actors.reads.ts';
import { adminAuditFilter, auditFilter } from './audit.inputs.ts';
import {
  allAuditBounds,
  type AuditEntryRow,
  auditBounds,
  countAllAudit,
  countAudit,
  findAudit,
  listAllAudit,
  listAudit,
} from './audit.reads.ts';
import { nodeType } from './audited.ts';

const AuditEntry = builder.objectRef<AuditEntryRow>('AuditEntry');

const node: Pick<NodeObjectOptions<typeof builder.$inferSchemaTypes, typeof AuditEntry, []>, 'loadMany'> = {
  loadMany: async (ids, context) => {
    const found = await findAudit(
      context.deps.database,
      inTenant(context).tenantId,
      ids.map((id) => readId('AuditEntry', id)),
    );
    return ids.map((id) => found.get(Number(id)) ?? null);
  },
};

const AuditChannel = defineEnum('AuditChannel', ['api', 'webhook', 'schedule', 'event', 'system'], {
  description: 'How an audited change reached the system.',
  values: { system: 'Done by the system itself.' },
});

const actorNames = createFieldLoader((context, actors: string[], _asked: undefined) =>
  findActorNames(context.deps.database, actors),
);
const subjects = createNodeLoader();

const Actor = builder.objectRef<AuditEntryRow>('AuditActor').implement({
  description: 'Who did it.',
  fields: (t) => ({
    kind: t.field({
      type: defineEnum('AuditActorKind', actorKinds, {
        description: 'Who can change something.',
        values: { user: 'A person.', 'api-key': 'Another system, by an API key.', system: 'The system itself.' },
      }),
      description: 'Who it was.',
      resolve: ({ actorSub }) => actorKind(actorSub),
    }),
    name: t.string({
      nullable: true,
      description:
        'The name of the user (or email address, as it was then, or subject), or of the key; null for the system, and for a key that is gone.',
      resolve: async (entry, _args, context, info) =>
        (await actorNames(context, info, actorKey(entry), undefined)) ?? nameInEntry(entry),
    }),
  }),
});

AuditEntry.implement({
  ...node,
  // Fields that return entries have their own scopes.
  extensions: nodeAccess({ admin: true }),
  interfaces: [builder.nodeInterfaceRef()],
  isTypeOf: (value) => typeof value === 'object' && value !== null && 'viaSystem' in value && 'resourceType' in value,
  description:
    'What was done to what, and by whom. Written in the transaction of the change, and never changed afterwards.',
  fields: (t) => ({
    id: t.id({ resolve: ({ id }) => encodeGlobalID('AuditEntry', id) }),
    databaseId: t.expose('id', { type: 'Long', description: 'The id that REST uses; it grows with time.' }),
    orgId: t.exposeString('orgId', { description: 'The slug of the organisation.' }),
    tenantId: t.exposeString('tenantId', { description: 'The slug of the tenant.' }),
    actorSub: t.exposeString('actorSub', { nullable: true, description: 'Null for what the system did by itself.' }),
    actor: t.field({ type: Actor, description: 'Who did it, with a name.', resolve: (entry) => entry }),
    viaSystem: t.exposeBoolean('viaSystem', { description: 'True for what the system did by itself.' }),
    channel: t.expose('channel', { type: AuditChannel, description: 'How it reached the system.' }),
    action: t.exposeString('action', { description: 'A verb, e.g. `create`.' }),
    resourceType: t.exposeString('resourceType', { description: 'What it was done to, e.g. `workflow`.' }),
    resourceId: t.exposeString('resourceId', { description: 'The `databaseId` of it, or its key.' }),
    subject: t.field({
      type: builder.nodeInterfaceRef(),
      nullable: true,
      complexity: 10,
      description:
        'What it was done to; null once that is deleted, where its type has no node, and for an entry of another tenant than that of the request.',
      resolve: async ({ tenantId, resourceType, resourceId }, _args, context, info) => {
        const type = context.tenant?.id === tenantId ? nodeType(resourceType) : undefined;
        return type === undefined ? null : await subjects(context, info, nodeKey(type, resourceId), info);
      },
    }),
    metadata: t.expose('metadata', {
      type: 'JSON',
      description: 'What changed, without secrets; its members depend on the action.',
      nullable: true,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});

const Connection = defineConnection(AuditEntry);
builder.objectFields(Connection, (t) => ({
  nextCursor: t.string({
    nullable: true,
    description: 'For `cursor`: the entries before these in time. Null at the oldest.',
    resolve: (page) => readPageCursors(page).nextCursor,
  }),
  prevCursor: t.string({
    nullable: true,
    description: 'For `cursor`: the entries after these in time. Null at the newest.',
    resolve: (page) => readPageCursors(page).prevCursor,
  }),
}));
const rowId = ({ id }: AuditEntryRow): string => String(id);

const cursorNote =
  'A page’s nextCursor or prevCursor, with `first` for the size; stands alone. Good for these filters only.';

builder.queryFields((t) => ({
  auditLog: t.connection(
    {
      type: AuditEntry,
      authScopes: { admin: true },
      description: "The tenant's audit log, newest first.",
      args: {
        filter: t.arg({ type: inputRef(auditFilter) }),
        cursor: t.arg.string({ description: cursorNote }),
        offset: t.arg.int(offsetArg),
      },
      resolve: (_root, { filter: given, ...page }, context) => {
        const { deps, tenantId } = inTenant(context);
        const filter = parseInput(auditFilter, given ?? {});
        return pageBySignedText(
          deps.cursors,
          auditBounds(tenantId, filter),
          page,
          rowId,
          (keys) => listAudit(deps.database, tenantId, filter, keys),
          (most) => countAudit(deps.database, tenantId, filter, most),
        );
      },
    },
    Connection,
  ),
  adminAuditLog: t.connection(
    {
      type: AuditEntry,
      authScopes: { operator: true },
      description: 'The audit log of all tenants, newest first.',
      args: {
        filter: t.arg({ type: inputRef(adminAuditFilter) }),
        cursor: t.arg.string({ description: cursorNote }),
        offset: t.arg.int(offsetArg),
      },
      resolve: (_root, { filter: given, ...page }, { deps: { database, cursors } }) => {
        const filter = parseInput(adminAuditFilter, given ?? {});
        return pageBySignedText(
          cursors,
          allAuditBounds(filter),
          page,
          rowId,
          (keys) => listAllAudit(database, filter, keys),
          (most) => countAllAudit(database, filter, most),
        );
      },
    },
    Connection,
  ),
}));
