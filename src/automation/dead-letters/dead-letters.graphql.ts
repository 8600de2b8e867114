import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import { findRuns } from '#src/automation/runs/runs.reads.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant, tenantKey } from '#src/graphql/context.ts';
import type { Context } from '#src/graphql/context.ts';
import { defineEnum, TriggerTypeEnum } from '#src/graphql/enums.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';
import { createRowLoader } from '#src/graphql/fast/row-loader.ts';
import { idField, mutationInput } from '#src/graphql/mutation-input.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg, type PageArgs, pageById } from '#src/graphql/paging/connections.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { readId } from '#src/infra/inputs.ts';
import type { GivenFilter } from './bulk-dead-letters.store.ts';
import { type DeadLetterStatus as Status, deadLetterStatuses, replayInput } from './dead-letters.inputs.ts';
import { listConditions } from './dead-letters.reads.ts';
import { discardDeadLetter, replayDeadLetter } from './dead-letters.service.ts';

const DeadLetterStatus = defineEnum('DeadLetterStatus', deadLetterStatuses, {
  description: 'What became of a dead letter. Only a pending one can be replayed or discarded.',
});

const replayedRuns = createFieldLoader((context, ids: number[], _asked: undefined) =>
  findRuns(context.deps.database, inTenant(context).tenantId, ids),
);
const loadTrigger = createRowLoader((db, rows) => db.trigger.findMany(rows));
const payloads = createFieldLoader(async (context, ids: bigint[], _asked: undefined) => {
  const { db, tenantId } = inTenant(context);
  const rows = await db.deadLetterPayload.findMany({ where: { tenantId, deadLetterId: { in: ids } } });
  return new Map(rows.map(({ deadLetterId, payload }) => [deadLetterId, payload]));
});

const DeadLetterPermissions = permissionsType('DeadLetterPermissions', {
  replay: 'replayDeadLetter',
  discard: 'discardDeadLetter',
});

export const DeadLetterRef = builder.prismaNode('DeadLetter', {
  id: { resolve: (letter) => String(letter.id) },
  findUnique: (id, context) => ({
    tenantId_id: tenantKey(context, 'DeadLetter', id),
  }),
  authScopes: { member: true },
  description: 'A firing of a trigger that could not start a run, kept so that it can be replayed.',
  select: { id: true, tenantId: true, triggerId: true },
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'Long', description: 'The id that REST uses.' }),
    workflow: t.relation('workflow'),
    workflowId: t.expose('workflowId', { type: 'Long', description: 'The `databaseId` of the workflow.' }),
    workflowName: t.string({
      description: 'The name of the workflow; its last one where it was deleted.',
      select: { workflow: { select: { name: true } } },
      resolve: ({ workflow }) => workflow.name,
    }),
    triggerId: t.expose('triggerId', {
      type: 'Long',
      description: 'The `databaseId` of the trigger, which may be deleted since.',
    }),
    trigger: t.prismaField({
      type: 'Trigger',
      nullable: true,
      description: 'The trigger that fired; null once it is deleted.',
      resolve: (query, { triggerId }, _args, context, info) => loadTrigger(context, info, triggerId, { ...query }),
    }),
    source: t.expose('source', { type: TriggerTypeEnum, description: 'The kind of trigger that fired.' }),
    triggerHandle: t.exposeString('triggerHandle', { description: 'The handle of the trigger that fired.' }),
    reason: t.exposeString('reason', { description: 'Why the firing never became a run.' }),
    status: t.expose('status', { type: DeadLetterStatus }),
    payload: t.field({
      type: 'JSON',
      nullable: true,
      complexity: 10,
      description: 'What the trigger brought, and a replay starts from.',
      resolve: (letter, _args, context, info) => payloads(context, info, letter.id, undefined),
    }),
    replayedRun: t.field({
      type: 'Run',
      description: 'The run that a replay started; null before one, and once the run is no longer kept.',
      nullable: true,
      select: { replayedRunId: true },
      resolve: ({ replayedRunId: id }, _args, context, info) =>
        id === null ? null : replayedRuns(context, info, Number(id), undefined),
    }),
    viewerCan: t.field({ type: DeadLetterPermissions, resolve: () => permissions }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

export const DeadLetterFilterInput = builder.inputType('DeadLetterFilter', {
  description: 'All given filters must match.',
  fields: (t) => ({
    status: t.field({ type: [DeadLetterStatus], description: 'Any of these; all where it is empty or left out.' }),
    workflowId: t.id(),
    triggerId: t.id({ description: 'Those of this trigger.' }),
    since: t.field({ type: 'DateTime', description: 'Captured at this instant or later.' }),
    until: t.field({ type: 'DateTime', description: 'Captured before this instant.' }),
    errorGroupId: t.id({ description: 'Those of this error group.' }),
    search: t.string({
      description: "Part of the reason or of the workflow's name, in any case; at most 191 characters.",
    }),
  }),
});

/** Newest first. */
function loadPage(page: PageArgs, filter: GivenFilter, context: Context, info: GraphQLResolveInfo) {
  const { db, tenantId } = inTenant(context);
  const where = listConditions(tenantId, filter);
  const query = queryFromInfo({ context, info, path: ['edges', 'node'], typeName: 'DeadLetter' });
  return pageById(
    page,
    ({ take, skip, orderBy, beyond }) =>
      db.deadLetter.findMany({ ...query, take, skip, orderBy, where: { ...where, ...beyond } }),
    (most) => db.deadLetter.count({ where, take: most }),
  );
}

const DeadLetterSummary = builder.objectRef<Record<Status, number>>('DeadLetterSummary').implement({
  description: 'How many dead letters there are.',
  fields: (t) => ({
    total: t.field({
      type: 'Long',
      description: 'All that the filter leaves.',
      resolve: (counts) => deadLetterStatuses.reduce((sum, status) => sum + counts[status], 0),
    }),
    byStatus: t.field({
      description: 'How many have each status.',
      type: builder.objectRef<Record<Status, number>>('DeadLetterCounts').implement({
        description: 'Every status, zeros included.',
        fields: (counts) =>
          Object.fromEntries(deadLetterStatuses.map((status) => [status, counts.expose(status, { type: 'Long' })])),
      }),
      resolve: (counts) => counts,
    }),
  }),
});

const DeadLetterConnection = defineConnection(DeadLetterRef);

builder.queryFields((t) => ({
  deadLetter: t.prismaField({
    type: DeadLetterRef,
    description: 'A dead letter of the tenant.',
    nullable: true,
    authScopes: { member: true },
    args: { id: t.arg.id({ required: true }) },
    resolve: (query, _root, { id }, context) => {
      const { db, tenantId } = inTenant(context);
      return db.deadLetter.findFirst({ ...query, where: { tenantId, id: readId('DeadLetter', id) } });
    },
  }),
  deadLetters: t.connection(
    {
      type: DeadLetterRef,
      description: 'The dead letters of the tenant, newest first.',
      authScopes: { member: true },
      args: { filter: t.arg({ type: DeadLetterFilterInput }), offset: t.arg.int(offsetArg) },
      resolve: (_root, { filter, ...page }, context, info) => loadPage(page, filter ?? {}, context, info),
    },
    DeadLetterConnection,
  ),
  deadLetterSummary: t.field({
    type: DeadLetterSummary,
    description: 'Counts dead letters.',
    authScopes: { member: true },
    args: { filter: t.arg({ type: DeadLetterFilterInput }) },
    resolve: async (_root, { filter }, context) => {
      const { db, tenantId } = inTenant(context);
      const where = listConditions(tenantId, filter ?? {});
      const groups = await db.deadLetter.groupBy({ by: ['status'], where, _count: true });
      const counts = Object.fromEntries(groups.map(({ status, _count }) => [status, _count]));
      return Object.fromEntries(deadLetterStatuses.map((status) => [status, counts[status] ?? 0])) as Record<
        Status,
        number
      >;
    },
  }),
}));

builder.prismaObjectField('Workflow', 'deadLetters', (t) =>
  t.connection(
    {
      type: DeadLetterRef,
      description: 'Firings of it that could not start a run, newest first.',
      args: { offset: t.arg.int(offsetArg) },
      resolve: ({ id }, page, context, info) => loadPage(page, { workflowId: id }, context, info),
    },
    DeadLetterConnection,
  ),
);

builder.relayMutationField(
  'replayDeadLetter',
  mutationInput(replayInput, idField),
  {
    description: 'Starts a run with the payload of a pending dead letter, in its workflow as it now is.',
    authScopes: { member: true },
    errors: errorTypes,
    resolve: (_root, { input: { id, ...given } }, context) =>
      replayDeadLetter(context.automation, inTenant(context).actor, readId('DeadLetter', id), given),
  },
  {
    outputFields: (t) => ({
      run: t.field({
        type: 'Run',
        description: 'The run that was started.',
        resolve: async ({ runId }, _args, context) =>
          (await findRuns(context.deps.database, inTenant(context).tenantId, [runId])).get(runId) as never,
      }),
      deadLetter: t.prismaField({
        type: DeadLetterRef,
        resolve: (query, { deadLetterId: id }, _args, context) => {
          const { db, tenantId } = inTenant(context);
          return db.deadLetter.findUniqueOrThrow({ ...query, where: { tenantId_id: { tenantId, id } } });
        },
      }),
    }),
  },
);

builder.relayMutationField(
  'discardDeadLetter',
  { inputFields: idField },
  {
    description: 'Settles a pending dead letter without a run.',
    authScopes: { member: true },
    errors: errorTypes,
    resolve: async (_root, { input: { id } }, context) => ({
      deadLetter: await discardDeadLetter(context.deps, inTenant(context).actor, readId('DeadLetter', id)),
    }),
  },
  {
    outputFields: (t) => ({
      deadLetter: t.field({ type: DeadLetterRef, resolve: ({ deadLetter }) => deadLetter }),
    }),
  },
);
