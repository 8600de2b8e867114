import { findRuns } from '#src/automation/runs/runs.reads.ts';
import { findDeliveries } from '#src/commerce/webhooks/deliveries.reads.ts';
import { builder } from '#src/graphql/builder.ts';
import { type Context, inTenant } from '#src/graphql/context.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';
import { createRowLoader } from '#src/graphql/fast/row-loader.ts';
import { nodeAccess } from '#src/graphql/node-access.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg, pageByKey } from '#src/graphql/paging/connections.ts';
import { isRow } from '#src/graphql/rows.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { readId, readUuid } from '#src/infra/inputs.ts';
import { type ErrorGroupKind, errorGroupKinds } from '#src/journal/error-groups/error-fingerprint.rules.ts';
import {
  countErrorGroups,
  errorGroupCursors,
  type ErrorGroupRow,
  findErrorGroup,
  listErrorGroups,
  readGroupItems,
} from './error-groups.reads.ts';
import { errorGroupStatuses, maxCounted, shownWorkflows } from './error-groups.rules.ts';

const Kind = defineEnum('ErrorGroupKind', errorGroupKinds, {
  description: 'What failed.',
  values: {
    run: 'Runs that failed.',
    dead_letter: 'Firings of triggers that could not start a run.',
    webhook_delivery:
      'Deliveries that were given up, or are held because a filter failed or the receiver answered 410.',
  },
});
const Status = defineEnum('ErrorGroupStatus', errorGroupStatuses, {
  description: 'What a person decided about a group. A failure opens one that was muted or resolved.',
  values: {
    open: 'Needs a person.',
    muted: 'Known, and hidden until it recurs.',
    resolved: 'Repaired.',
  },
});

const loadItems = createFieldLoader(async (context, keys: string[], _asked: undefined) => {
  const { deps, tenantId } = inTenant(context);
  const groups = keys.map((key) => {
    const [kind, id] = key.split('/') as [ErrorGroupKind, string];
    return { kind, id };
  });
  const found = await readGroupItems(deps.database, tenantId, groups);
  return new Map(groups.map(({ kind, id }) => [`${kind}/${id}`, found.get(id)]));
});

type Info = Parameters<typeof loadItems>[1];
/** In place of the nodes of one field: the number, the workflows and the sample of a group take no arguments, and are read together. */
const allFields: Info['fieldNodes'] = [];
const readItems = ({ kind, id }: ErrorGroupRow, context: Context, info: Info) =>
  loadItems(context, { ...info, fieldNodes: allFields }, `${kind}/${id}`, undefined);

const loadWorkflow = createRowLoader((db, rows) => db.workflow.findMany(rows));
const loadRuns = createFieldLoader((context, ids: number[], _asked: undefined) =>
  findRuns(context.deps.database, inTenant(context).tenantId, ids),
);
const loadLetter = createRowLoader((db, rows) => db.deadLetter.findMany(rows));
const loadDeliveries = createFieldLoader(async (context, ids: number[], _asked: undefined) => {
  const found = await findDeliveries(context.deps.database, inTenant(context).tenantId, ids);
  return new Map(found.map((delivery) => [delivery.id, delivery]));
});

const ErrorGroupWorkflow = builder.objectRef<{ id: number; count: number }>('ErrorGroupWorkflow').implement({
  description: 'A workflow that an error group affects.',
  fields: (t) => ({
    workflow: t.prismaField({
      type: 'Workflow',
      nullable: true,
      description: 'Null once it is no longer kept.',
      resolve: (query, { id }, _args, context, info) => loadWorkflow(context, info, BigInt(id), { ...query }),
    }),
    count: t.exposeInt('count', { description: 'Items of the group that are of this workflow.' }),
  }),
});

const ErrorGroupPermissions = permissionsType('ErrorGroupPermissions', {
  resolve: 'resolveErrorGroup',
  mute: 'muteErrorGroup',
  reopen: 'reopenErrorGroup',
  assign: 'assignErrorGroup',
});

export const ErrorGroupRef = builder.objectRef<ErrorGroupRow>('ErrorGroup');

/** The newest item of a group, if it is of this kind. */
async function findSample(kind: ErrorGroupKind, group: ErrorGroupRow, context: Context, info: Info) {
  return group.kind === kind ? ((await readItems(group, context, info))?.sample ?? null) : null;
}

builder.node(ErrorGroupRef, {
  id: { resolve: ({ id }) => id },
  loadOne: async (id, { tenant, deps }) =>
    tenant ? ((await findErrorGroup(deps.database, tenant.id, readUuid('ErrorGroup', id))) ?? null) : null,
  isTypeOf: (value) => isRow(value, 'firstAt', 'lastAt', 'reopenedAt', 'code'),
  extensions: nodeAccess({ member: true }),
  description:
    'Failures that are alike: the same kind of item, node, error code, and message apart from its numbers, ids, quoted texts, URLs, dates and addresses. A failure belongs to its group with the commit that records it. Kept for 90 days after the last one.',
  fields: (t) => ({
    groupId: t.exposeString('id', { description: 'Its UUID, as the audit log names it.' }),
    kind: t.expose('kind', { type: Kind, description: 'What failed.' }),
    node: t.exposeString('node', {
      nullable: true,
      description:
        'The node, as `core:http_request`; for dead letters the kind of trigger (`trigger:webhook`), for deliveries the destination (`destination:7`). Null where none is to blame.',
    }),
    code: t.exposeString('code', { description: 'The code of the error, for programs.' }),
    message: t.exposeString('message', { description: 'The message, with a placeholder for each value in it.' }),
    status: t.expose('status', { type: Status, description: 'What was decided about it.' }),
    assignee: t.exposeString('assignee', {
      nullable: true,
      description: 'Who looks after it: the address of a user, without one the subject.',
    }),
    mutedUntil: t.expose('mutedUntil', {
      type: 'DateTime',
      nullable: true,
      description: 'Failures before this instant leave it muted. Null: the next one opens it.',
    }),
    count: t.int({
      complexity: 5,
      description: `Its items now: failed runs, pending dead letters, or deliveries that are not sent. Counted up to ${maxCounted}.`,
      resolve: async (group, _args, context, info) => (await readItems(group, context, info))?.count ?? 0,
    }),
    workflows: t.field({
      type: [ErrorGroupWorkflow],
      complexity: { field: 5, multiplier: shownWorkflows },
      description: `The workflows of its items, those with the most first; at most ${shownWorkflows}.`,
      resolve: async (group, _args, context, info) => (await readItems(group, context, info))?.workflows ?? [],
    }),
    sampleRun: t.field({
      type: 'Run',
      nullable: true,
      complexity: 5,
      description: 'One of its newest runs; null where it has none.',
      resolve: async (group, _args, context, info) => {
        const id = await findSample('run', group, context, info);
        return id === null ? null : ((await loadRuns(context, info, id, undefined)) ?? null);
      },
    }),
    sampleDeadLetter: t.prismaField({
      type: 'DeadLetter',
      nullable: true,
      complexity: 5,
      description: 'One of its newest dead letters; null where it has none.',
      resolve: async (query, group, _args, context, info) => {
        // Read in any case: Pothos refuses a resolver that leaves its query unused.
        const asked = { ...query };
        const id = await findSample('dead_letter', group, context, info);
        return id === null ? null : loadLetter(context, info, BigInt(id), asked);
      },
    }),
    sampleWebhookDelivery: t.field({
      type: 'WebhookDelivery' as never,
      nullable: true,
      complexity: 5,
      description: 'One of its newest deliveries; null where it has none.',
      resolve: async (group, _args, context, info) => {
        const id = await findSample('webhook_delivery', group, context, info);
        return (id === null ? null : await loadDeliveries(context, info, id, undefined)) as never;
      },
    }),
    firstAt: t.expose('firstAt', { type: 'DateTime', description: 'When something first failed like this.' }),
    lastAt: t.expose('lastAt', {
      type: 'DateTime',
      description: 'When something last failed like this; up to a minute older than the last failure.',
    }),
    reopenedAt: t.expose('reopenedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it last recurred after it was muted or resolved.',
    }),
    viewerCan: t.field({ type: ErrorGroupPermissions, resolve: () => permissions }),
  }),
});

const Filter = builder.inputType('ErrorGroupFilter', {
  description: 'All given filters must match.',
  fields: (t) => ({
    status: t.field({ type: [Status], description: 'Any of these; all where it is empty or left out.' }),
    kind: t.field({ type: Kind, description: 'Those of such items.' }),
    node: t.string({ description: 'Those of this node, as `ErrorGroup.node` has it.' }),
    code: t.string({ description: 'Those with this code.' }),
    workflowId: t.id({ description: 'Those with an item of this workflow.' }),
    assigneeId: t.field({ type: 'Long', description: 'Those that this user looks after, by `me.user.id`.' }),
    since: t.field({ type: 'DateTime', description: 'Those that failed at this instant or later.' }),
    search: t.string({ description: 'Part of the message.' }),
  }),
});

builder.queryFields((t) => ({
  errorGroup: t.field({
    type: ErrorGroupRef,
    description: 'An error group of the tenant.',
    nullable: true,
    authScopes: { member: true },
    args: { id: t.arg.id({ required: true }) },
    resolve: async (_root, { id }, context) => {
      const { deps, tenantId } = inTenant(context);
      return (await findErrorGroup(deps.database, tenantId, readUuid('ErrorGroup', id))) ?? null;
    },
  }),
  errorGroups: t.connection(
    {
      type: ErrorGroupRef,
      description: 'What fails in the tenant, grouped; what failed last comes first.',
      authScopes: { member: true },
      args: { filter: t.arg({ type: Filter }), offset: t.arg.int(offsetArg) },
      resolve: (_root, { filter: given, ...page }, context) => {
        const { deps, tenantId } = inTenant(context);
        const { workflowId, ...rest } = given ?? {};
        const filter = { ...rest, ...(workflowId != null && { workflowId: readId('Workflow', workflowId) }) };
        return pageByKey(
          page,
          errorGroupCursors,
          (keys) => listErrorGroups(deps.database, tenantId, filter, keys),
          (most) => countErrorGroups(deps.database, tenantId, filter, most),
        );
      },
    },
    defineConnection(ErrorGroupRef),
  ),
}));
