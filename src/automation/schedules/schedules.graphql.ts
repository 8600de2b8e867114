import { queryFromInfo } from '@pothos/plugin-prisma';
import { builder } from '#src/graphql/builder.ts';
import { inTenant, tenantKey } from '#src/graphql/context.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { createRowLoader } from '#src/graphql/fast/row-loader.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg } from '#src/graphql/paging/connections.ts';
import { orderInput } from '#src/graphql/paging/order-input.ts';
import { pageInOrder } from '#src/graphql/paging/ordered-lists.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { readId } from '#src/infra/inputs.ts';
import { catchUpLimit } from './misfire.rules.ts';
import { nextTicks } from './next-ticks.rules.ts';
import { maxTicks } from './schedules.inputs.ts';
import { scheduleList } from './schedules.reads.ts';

const MisfirePolicyEnum = defineEnum('MisfirePolicy', ['skip', 'fire_once', 'catch_up'], {
  description: 'What happens to ticks that nobody was there for.',
  values: {
    skip: 'They are left out.',
    fire_once: 'The last of them fires.',
    catch_up: `The newest ${catchUpLimit} of them fire, in order.`,
  },
});

const loadWorkflow = createRowLoader((db, rows) => db.workflow.findMany(rows));

const SchedulePermissions = permissionsType('SchedulePermissions', {
  update: 'updateTrigger',
  delete: 'deleteTrigger',
});

const ScheduleRef = builder.prismaNode('Schedule', {
  id: { resolve: ({ triggerId }) => String(triggerId) },
  findUnique: (id, context) => {
    const { tenantId, id: triggerId } = tenantKey(context, 'Schedule', id);
    return { tenantId_triggerId: { tenantId, triggerId } };
  },
  authScopes: { member: true },
  description: 'When a schedule trigger fires next and last fired.',
  select: { tenantId: true, triggerId: true, workflowId: true },
  fields: (t) => ({
    databaseId: t.expose('triggerId', { type: 'Long', description: 'That of its trigger.' }),
    trigger: t.relation('trigger'),
    triggerId: t.expose('triggerId', { type: 'Long', description: 'The `databaseId` of its trigger.' }),
    triggerHandle: t.string({
      description: 'The handle of its trigger.',
      select: { trigger: { select: { handle: true } } },
      resolve: ({ trigger }) => trigger.handle,
    }),
    workflow: t.prismaField({
      type: 'Workflow',
      resolve: async (query, { workflowId }, _args, context, info) =>
        (await loadWorkflow(context, info, workflowId, { ...query })) as never,
    }),
    workflowId: t.expose('workflowId', { type: 'Long', description: 'The `databaseId` of its workflow.' }),
    workflowName: t.string({
      description: 'The name of its workflow.',
      select: { trigger: { select: { workflow: { select: { name: true } } } } },
      resolve: ({ trigger }) => trigger.workflow.name,
    }),
    cron: t.exposeString('cron', { description: 'Five fields, or six with seconds first.' }),
    timezone: t.exposeString('timezone', { description: 'An IANA zone.' }),
    misfire: t.expose('misfire', {
      type: MisfirePolicyEnum,
      description: 'What happens to ticks that nobody was there for.',
    }),
    active: t.exposeBoolean('active', { description: 'Whether both the trigger and its workflow are active.' }),
    nextFireAt: t.expose('nextFireAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The next tick. A moment in the past is due and about to be fired. Null while inactive.',
    }),
    lastFiredAt: t.expose('lastFiredAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When a run was last started or a dead letter captured; never a plan. Null before the first time.',
    }),
    lastRunId: t.expose('lastRunId', {
      type: 'Long',
      description: 'The `databaseId` of the last run; null before the first.',
      nullable: true,
    }),
    viewerCan: t.field({ type: SchedulePermissions, resolve: () => permissions }),
  }),
});

builder.prismaObjectField('Trigger', 'schedule', (t) =>
  t.relation('schedule', { nullable: true, description: 'Of a trigger of type schedule.' }),
);

const ScheduleFilterInput = builder.inputType('ScheduleFilter', {
  description: 'All given filters must match.',
  fields: (t) => ({
    search: t.string({
      description: 'Part of the name of the workflow or of the trigger, in any case; at most 191 characters.',
    }),
    workflowId: t.id(),
    active: t.boolean({
      description: 'True where both the trigger and its workflow are active, false for the others.',
    }),
    misfire: t.field({ type: [MisfirePolicyEnum], description: 'Any of these; all where it is empty or left out.' }),
  }),
});

const ScheduleOrderInput = orderInput('Schedule', {
  of: 'schedules',
  fields: {
    CREATED_AT: { description: 'By the age of the trigger.' },
    NEXT_FIRE_AT: { description: 'Those that plan nothing come last, whichever way.' },
    LAST_FIRED_AT: { description: 'Those that never fired come last, whichever way.' },
  },
});

builder.queryField('schedules', (t) =>
  t.connection(
    {
      type: ScheduleRef,
      authScopes: { member: true },
      description: 'Every scheduled trigger of the tenant.',
      args: {
        filter: t.arg({ type: ScheduleFilterInput }),
        orderBy: t.arg({ type: ScheduleOrderInput, description: 'Left out: newest first.' }),
        offset: t.arg.int(offsetArg),
      },
      resolve: (_root, { filter, orderBy, ...page }, context, info) => {
        const { db, deps, tenantId } = inTenant(context);
        const selected = queryFromInfo({ context, info, path: ['edges', 'node'], typeName: 'Schedule' });
        const workflowId = filter?.workflowId == null ? null : readId('Workflow', filter.workflowId);
        return pageInOrder(scheduleList, page, {
          filter: { ...filter, workflowId, tenantId },
          order: orderBy ?? { field: 'CREATED_AT', direction: 'DESC' },
          query: (statement) => deps.database.tenantQuery(tenantId, statement),
          load: (ids) => db.schedule.findMany({ ...selected, where: { tenantId, triggerId: { in: ids.map(BigInt) } } }),
          rowId: ({ triggerId }) => String(triggerId),
        });
      },
    },
    defineConnection(ScheduleRef),
  ),
);

builder.queryField('nextTicks', (t) =>
  t.field({
    type: ['DateTime'],
    authScopes: { member: true },
    complexity: 25,
    description:
      'When a schedule would fire next, before it is saved: within ten years. Messages are those of saving it.',
    args: {
      cron: t.arg.string({ required: true, description: 'Five fields, or six with seconds first.' }),
      timezone: t.arg.string({ required: true, defaultValue: 'UTC', description: 'An IANA zone.' }),
      count: t.arg.int({ required: true, defaultValue: 5, description: `1 to ${maxTicks}.` }),
    },
    resolve: (_root, schedule) => nextTicks(schedule, Date.now()),
  }),
);
