import { encodeGlobalID, type NodeObjectOptions } from '@pothos/plugin-relay';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { defineEnum, TriggerTypeEnum } from '#src/graphql/enums.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';
import { createRowLoader } from '#src/graphql/fast/row-loader.ts';
import { nodeAccess } from '#src/graphql/node-access.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg, pageByKey } from '#src/graphql/paging/connections.ts';
import { orderInput } from '#src/graphql/paging/order-input.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { readId } from '#src/infra/inputs.ts';
import { readRunFilter } from './run-filters.reads.ts';
import { countRuns, listRuns, runCursors, summariseRuns } from './run-lists.reads.ts';
import { runStatuses, type RunStatus as Status } from './run-status.rules.ts';
import { runDuration, findRuns, type RunRow } from './runs.reads.ts';

declare module '#src/graphql/builder.ts' {
  interface GraphObjects {
    Run: RunRow;
  }
}

export const RunStatus = defineEnum('RunStatus', runStatuses, {
  description: 'Where a run stands. Succeeded, failed and cancelled runs have ended; a failed one can be retried.',
  values: { waiting: 'For a time to come, or for an outside caller.' },
});

const loadWorkflow = createRowLoader((db, rows) => db.workflow.findMany(rows));

const loadTrigger = createFieldLoader(async (context, handles: string[], query: { select?: object }) => {
  const { db, tenantId } = inTenant(context);
  // The handle distinguishes them, so it is always selected.
  const selection = query.select ? { ...query, select: { ...query.select, handle: true } } : query;
  const triggers = await db.trigger.findMany({ ...selection, where: { tenantId, handle: { in: handles } } });
  return new Map(triggers.map((trigger) => [trigger.handle, trigger]));
});

const node: Pick<NodeObjectOptions<typeof builder.$inferSchemaTypes, 'Run', []>, 'loadMany'> = {
  loadMany: async (ids, context) => {
    const found = await findRuns(
      context.deps.database,
      inTenant(context).tenantId,
      ids.map((id) => readId('Run', id)),
    );
    return ids.map((id) => found.get(Number(id)) ?? null);
  },
};

const RunPermissions = permissionsType('RunPermissions', {
  cancel: 'cancelRun',
  retry: 'retryRun',
  rerun: 'rerunRun',
  resume: 'resumeRun',
});

/**
 * A plain object type instead of a Prisma one: rows of the list, the busiest read, resolve by reading properties. It implements Node by
 * hand, because `builder.node` creates a promise for each id, and lists are completed without promises (see plain-query.ts).
 */
export const RunRef = builder.objectType('Run', {
  ...node,
  // Fields that return runs have their own scopes.
  extensions: nodeAccess({ member: true }),
  interfaces: [builder.nodeInterfaceRef()],
  isTypeOf: (value) => typeof value === 'object' && value !== null && 'triggerType' in value && 'workflowName' in value,
  description: 'One execution of a workflow.',
  fields: (t) => ({
    id: t.id({ resolve: ({ id }) => encodeGlobalID('Run', id) }),
    databaseId: t.expose('id', { type: 'Long', description: 'The id that REST uses.' }),
    workflow: t.prismaField({
      type: 'Workflow',
      resolve: async (query, run, _args, context, info) =>
        (await loadWorkflow(context, info, BigInt(run.workflowId), { ...query })) as never,
    }),
    workflowId: t.expose('workflowId', { type: 'Long', description: 'The `databaseId` of its workflow.' }),
    workflowName: t.exposeString('workflowName', {
      description: 'The name of its workflow; the last one where that was deleted.',
    }),
    status: t.expose('status', { type: RunStatus }),
    error: t.exposeString('error', { nullable: true, description: 'Why the run failed.' }),
    triggerHandle: t.exposeString('triggerHandle', {
      nullable: true,
      description:
        'Null where no trigger fired: a sub-workflow or error workflow without an active manual trigger. With one, its run starts there.',
    }),
    triggerType: t.expose('triggerType', { type: TriggerTypeEnum, description: 'What fired it.' }),
    trigger: t.prismaField({
      type: 'Trigger',
      nullable: true,
      description: 'The trigger of `triggerHandle`; null where that is null, and once the trigger is deleted.',
      resolve: async (query, { triggerHandle }, _args, context, info) => {
        const asked = { ...query };
        return triggerHandle === null ? null : await loadTrigger(context, info, triggerHandle, asked);
      },
    }),
    revision: t.exposeInt('revision', {
      description:
        'The revision of the workflow it runs, pinned at its start; for a test run of a draft, the base revision of that.',
    }),
    isTest: t.exposeBoolean('isTest', {
      description:
        'Whether it tests a workflow. A test run counts in no statistics, publishes no events, starts no error workflow, and is deleted a day after its end.',
    }),
    engineWorkflowId: t.string({
      description: 'What the engine names its workflow by in logs.',
      resolve: ({ workflowId }, _args, context) => `workflow-${inTenant(context).tenantId}-${workflowId}`,
    }),
    engineRunId: t.string({
      description: 'What the engine names it by in logs.',
      resolve: ({ id }, _args, context) => `run-${inTenant(context).tenantId}-${id}`,
    }),
    startedAt: t.expose('startedAt', {
      type: 'DateTime',
      description: 'When its first step began; null while it is queued.',
      nullable: true,
    }),
    completedAt: t.expose('completedAt', {
      type: 'DateTime',
      description: 'When it ended; null before.',
      nullable: true,
    }),
    viewerCan: t.field({ type: RunPermissions, resolve: () => permissions }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
    durationMs: t.field({
      type: 'Long',
      description: 'From start to end, in milliseconds; null before its end.',
      nullable: true,
      resolve: runDuration,
    }),
  }),
});

export const RunConnection = defineConnection(RunRef);

export const RunFilterInput = builder.inputType('RunFilter', {
  description: 'All given filters must match.',
  fields: (t) => ({
    status: t.field({ type: [RunStatus], description: 'Any of these; all where it is empty or left out.' }),
    workflowId: t.id(),
    triggerId: t.id({ description: 'Those that this trigger started; none once it is deleted.' }),
    since: t.field({ type: 'DateTime', description: 'Created at this instant or later.' }),
    until: t.field({ type: 'DateTime', description: 'Created before this instant.' }),
    triggerType: t.field({ type: TriggerTypeEnum, description: 'What fired them.' }),
    isTest: t.boolean({
      description: 'True: only test runs; false: no test runs. Bulk actions take test runs only with true.',
    }),
    errorGroupId: t.id({ description: 'Failed runs of this error group.' }),
    search: t.string({ description: "Part of the workflow's name or of the error text, or the run's id." }),
  }),
});

const RunOrderInput = orderInput('Run', {
  of: 'runs',
  fields: {
    CREATED_AT: {},
    STARTED_AT: { description: 'Runs that have not started count as the newest.' },
    DURATION: { description: 'Runs that have not ended come last.' },
  },
  direction: 'DESC',
});

const newestFirst = { field: 'CREATED_AT', direction: 'DESC' } as const;

const RunSummary = builder.objectRef<{ total: number; byStatus: Record<Status, number> }>('RunSummary').implement({
  description: 'How many runs there are.',
  fields: (t) => ({
    total: t.expose('total', { type: 'Long', description: 'All that the filter leaves, whatever their status.' }),
    byStatus: t.field({
      description: 'How many have each status.',
      type: builder.objectRef<Record<Status, number>>('RunCounts').implement({
        description: 'Every status, zeros included.',
        fields: (counts) =>
          Object.fromEntries(runStatuses.map((status) => [status, counts.expose(status, { type: 'Long' })])),
      }),
      resolve: ({ byStatus }) => byStatus,
    }),
  }),
});

builder.queryFields((t) => ({
  run: t.field({
    type: RunRef,
    nullable: true,
    authScopes: { member: true },
    description: 'A run, also of a workflow that was deleted since.',
    args: {
      id: t.arg.id({ required: true }),
      workflowId: t.arg.id({ description: 'The workflow it must be of; the run of another one is null.' }),
    },
    resolve: async (_root, { id, workflowId }, context) => {
      const { deps, tenantId } = inTenant(context);
      const runId = readId('Run', id);
      const run = (await findRuns(deps.database, tenantId, [runId])).get(Number(runId));
      const isOther = workflowId != null && Number(readId('Workflow', workflowId)) !== run?.workflowId;
      return isOther ? null : run;
    },
  }),
  runs: t.connection(
    {
      type: RunRef,
      description: 'The runs of the tenant.',
      authScopes: { member: true },
      args: {
        filter: t.arg({ type: RunFilterInput }),
        orderBy: t.arg({ type: RunOrderInput, description: 'Left out: newest first.' }),
        offset: t.arg.int(offsetArg),
      },
      resolve: (_root, { filter: given, orderBy, ...page }, context) => {
        const { deps, tenantId } = inTenant(context);
        const filter = readRunFilter(given ?? undefined);
        const order = orderBy ?? newestFirst;
        return pageByKey(
          page,
          runCursors(order),
          (keys) => listRuns(deps.database, tenantId, filter, order, keys),
          (most) => countRuns(deps.database, tenantId, filter, most),
        );
      },
    },
    RunConnection,
  ),
  runSummary: t.field({
    type: RunSummary,
    description: 'Counts runs.',
    authScopes: { member: true },
    complexity: 10,
    args: { filter: t.arg({ type: RunFilterInput }) },
    resolve: (_root, { filter }, context) =>
      summariseRuns(context.deps.database, inTenant(context).tenantId, readRunFilter(filter ?? undefined)),
  }),
}));
