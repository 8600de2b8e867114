import { findRuns, type RunRow } from '#src/automation/runs/runs.reads.ts';
import type { ChangeRow } from '#src/commerce/orders/order-changes.reads.ts';
import { OrderChangeRef, OrderRef } from '#src/commerce/orders/orders.graphql.ts';
import { findOrders, type OrderRow } from '#src/commerce/orders/orders.reads.ts';
import { hasAccess } from '#src/graphql/access.ts';
import { builder } from '#src/graphql/builder.ts';
import { type Context, inTenant } from '#src/graphql/context.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';
import { createRowLoader } from '#src/graphql/fast/row-loader.ts';
import { NotFoundError } from '#src/infra/errors.ts';
import { readId } from '#src/infra/inputs.ts';
import { LiveStream } from '#src/infra/live/live-stream.ts';
import { actorKey, findActorNames } from '#src/journal/audit/audit-actors.reads.ts';
import { findStories } from './order-story.reads.ts';
import { type StoryEntry, storyLimits } from './order-story.rules.ts';
import { openOrderStory, type StoryChange } from './watch-order-story.service.ts';

const seesRuns = (context: Context) => hasAccess(context, { member: true });
const seesDeliveries = (context: Context) => hasAccess(context, { member: true, scope: 'webhooks:read' });

const loadStory = createFieldLoader((context, orderIds: number[], _asked: undefined) => {
  const { deps, tenantId } = inTenant(context);
  const parts = { runs: seesRuns(context), deliveries: seesDeliveries(context) };
  return findStories(deps.database, tenantId, orderIds, parts);
});
const loadRun = createFieldLoader((context, ids: number[], _asked: undefined): Promise<Map<number, RunRow>> => {
  const { deps, tenantId } = inTenant(context);
  return findRuns(deps.database, tenantId, ids);
});
const loadDeadLetter = createRowLoader((db, rows) => db.deadLetter.findMany(rows));
const loadActorName = createFieldLoader((context, keys: string[], _asked: undefined) =>
  findActorNames(context.deps.database, keys),
);

const names: Record<StoryEntry['kind'], string> = {
  change: 'OrderStoryChange',
  deadLetter: 'OrderStoryDeadLetter',
  delivery: 'OrderStoryDelivery',
  run: 'OrderStoryRun',
  step: 'OrderStoryStep',
};

const StoryEntryRef = builder.interfaceRef<StoryEntry>('OrderStoryEntry').implement({
  description: 'Something that happened to an order, or because of it.',
  resolveType: ({ kind }) => names[kind],
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'When it happened, or began.' }),
    eventId: t.exposeString('eventId', {
      nullable: true,
      description:
        'The event that reports the change, or that caused the run, the request, the dead letter or the delivery; null for a change without an event.',
    }),
  }),
});

const entry = <Kind extends StoryEntry['kind']>(kind: Kind) =>
  builder.objectRef<Extract<StoryEntry, { kind: Kind }>>(names[kind]);
const shared = { interfaces: [StoryEntryRef] };

entry('change').implement({
  ...shared,
  description: 'The order was placed or changed, by the shop, the ERP or a run.',
  fields: (t) => ({
    change: t.field({ type: OrderChangeRef, description: 'What was done, by whom.', resolve: ({ change }) => change }),
  }),
});

entry('deadLetter').implement({
  ...shared,
  description: 'An event of the order fired a trigger whose workflow could not start a run.',
  fields: (t) => ({
    deadLetter: t.prismaField({
      type: 'DeadLetter',
      description: 'As it is now: it may have been replayed.',
      resolve: async (query, { deadLetter }, _args, context, info) => {
        const loaded = await loadDeadLetter(context, info, deadLetter.id, { ...query });
        if (!loaded) throw new NotFoundError();
        return loaded;
      },
    }),
  }),
});

entry('delivery').implement({
  ...shared,
  description: 'An event of the order was to be sent to a webhook destination.',
  fields: (t) => ({
    delivery: t.field({
      type: 'WebhookDelivery',
      description: 'With its status and attempts.',
      resolve: ({ delivery }) => delivery,
    }),
  }),
});

entry('run').implement({
  ...shared,
  description: 'An event of the order started a run, or a run that it started has started another.',
  fields: (t) => ({
    run: t.field({ type: 'Run', description: 'As it is now.', resolve: ({ run }) => run }),
  }),
});

entry('step').implement({
  ...shared,
  description: 'A step of such a run sent requests to another system.',
  fields: (t) => ({
    run: t.field({ type: 'Run', description: 'The run of the step.', resolve: ({ run }) => run }),
    step: t.field({ type: 'Step', description: 'With its `calls`.', resolve: ({ step }) => step }),
  }),
});

builder.objectFields(OrderRef, (t) => ({
  story: t.field({
    type: [StoryEntryRef],
    complexity: 50,
    description: `What happened to the order and because of it, oldest first: its \`changes\`; of each of its events the first ${storyLimits.runsOfEvent} runs, with those that these runs started, ${storyLimits.deadLettersOfEvent} dead letters and ${storyLimits.deliveriesOfEvent} deliveries that are still kept; and of each of these runs the first ${storyLimits.stepsOfRun} steps that sent requests. Without the runs, dead letters and deliveries that the viewer may not see.`,
    resolve: async ({ id }, _args, context, info) => (await loadStory(context, info, id, undefined)) ?? [],
  }),
}));

const writeActor = ({ actorSub, actorEmail }: ChangeRow, tenantId: string) =>
  actorKey({ tenantId, actorSub, actorEmail });

builder.objectFields(OrderChangeRef, (t) => ({
  actorName: t.string({
    nullable: true,
    complexity: 1,
    description: 'The name of the user or API key; null for others, where it is gone, and for callers with an API key.',
    resolve: async (change, _args, context, info) => {
      if (change.actorSub === null || change.runId !== null || !seesRuns(context)) return null;
      return (await loadActorName(context, info, writeActor(change, inTenant(context).tenantId), undefined)) ?? null;
    },
  }),
  run: t.field({
    type: 'Run',
    nullable: true,
    complexity: 1,
    description: 'The run that did it; null where none did, once it is deleted, and for callers with an API key.',
    resolve: async ({ runId }, _args, context, info) =>
      runId === null || !seesRuns(context) ? null : ((await loadRun(context, info, runId, undefined)) ?? null),
  }),
}));

builder.subscriptionField('orderStoryUpdated', (t) =>
  t.field({
    type: OrderRef,
    nullable: true,
    authScopes: { member: true, scope: 'orders:read' },
    description:
      'The order at once, and again when its `story` changed: the order, a run, a dead letter or a delivery. At most twice a second.',
    args: { id: t.arg.id({ required: true }) },
    subscribe: async (_root, { id }, context) => {
      const { deps, tenantId } = inTenant(context);
      return new LiveStream(await openOrderStory(deps, tenantId, Number(readId('Order', id))));
    },
    resolve: async ({ orderId }: StoryChange, _args, context): Promise<OrderRow | null> => {
      const { deps, tenantId } = inTenant(context);
      return (await findOrders(deps.database, tenantId, [orderId]))[0] ?? null;
    },
  }),
);
