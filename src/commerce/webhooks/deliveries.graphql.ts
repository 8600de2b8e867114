import { z } from 'zod';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';
import { createRowLoader } from '#src/graphql/fast/row-loader.ts';
import { nodeAccess } from '#src/graphql/node-access.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg } from '#src/graphql/paging/connections.ts';
import { orderInput } from '#src/graphql/paging/order-input.ts';
import { pageInOrder } from '#src/graphql/paging/ordered-lists.ts';
import { isRow } from '#src/graphql/rows.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { parseInput, readId, readUuid } from '#src/infra/inputs.ts';
import { type Attempt, attemptStatuses, type Delivery, deliveryStatuses } from './deliveries.inputs.ts';
import { deliveryList, findAttempts, findLastAttempts, findBodies, findDeliveries } from './deliveries.reads.ts';
import { deliveryDays } from './delivery-log.rules.ts';
import { DestinationRef } from './destinations.graphql.ts';

const reads = { member: true, scope: 'webhooks:read' } as const;
const eventId = z.object({ eventId: z.guid('An event has a UUID.').nullish() });

const StatusEnum = defineEnum('WebhookDeliveryStatus', deliveryStatuses, {
  description: 'Where a delivery stands.',
  values: {
    pending: 'Waiting for its next attempt.',
    delivered: 'The receiver answered 2xx.',
    failed: 'Given up after the last attempt.',
    held: 'Not sent until somebody recovers it: its destination is disabled, or its filter failed.',
  },
});
const AttemptStatusEnum = defineEnum('WebhookAttemptStatus', attemptStatuses, {
  description: 'What came of an attempt; everything but 2xx fails.',
});

const AttemptRef = builder.objectRef<Attempt>('WebhookAttempt').implement({
  description: 'An attempt to deliver.',
  fields: (t) => ({
    try: t.exposeInt('try', { description: 'Counted from 1.' }),
    status: t.expose('status', { type: AttemptStatusEnum, description: 'What came of it.' }),
    httpCode: t.exposeInt('httpCode', { nullable: true, description: 'The answer’s; null where nobody answered.' }),
    error: t.exposeString('error', { nullable: true, description: 'Why nobody answered.' }),
    durationMs: t.exposeInt('durationMs', { description: 'Until the answer was read or given up.' }),
    response: t.exposeString('response', { nullable: true, description: 'The first 4 KiB of the answer.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When it began.' }),
  }),
});

const loadDestination = createRowLoader((db, rows) => db.webhookDestination.findMany(rows));
const loadAttempts = createFieldLoader<number, Attempt[]>((context, ids) =>
  findAttempts(context.deps.database, inTenant(context).tenantId, ids),
);
const loadLastAttempts = createFieldLoader<number, Attempt>((context, ids) =>
  findLastAttempts(context.deps.database, inTenant(context).tenantId, ids),
);
const loadBodies = createFieldLoader<number, string>((context, ids) =>
  findBodies(context.deps.database, inTenant(context).tenantId, ids),
);

declare module '#src/graphql/builder.ts' {
  interface GraphObjects {
    WebhookDelivery: Delivery;
  }
}

export const DeliveryRef = builder.objectRef<Delivery>('WebhookDelivery');

const DeliveryPermissions = permissionsType('WebhookDeliveryPermissions', {
  resend: 'resendWebhookDelivery',
});

builder.node(DeliveryRef, {
  id: { resolve: ({ id }) => String(id) },
  loadMany: async (ids, { tenant, deps }) => {
    if (!tenant) return ids.map(() => null);
    const keys = ids.map((id) => readId('WebhookDelivery', id));
    const found = new Map((await findDeliveries(deps.database, tenant.id, keys)).map((row) => [BigInt(row.id), row]));
    return keys.map((key) => found.get(key) ?? null);
  },
  isTypeOf: (value) => isRow(value, 'destinationId', 'eventId', 'nextAttemptAt'),
  // Not `authScopes` of the type: a key that may only write still gets the object that it wrote in the response.
  extensions: nodeAccess(reads),
  description: `An event on its way to a destination, or arrived there. Kept for ${deliveryDays} days.`,
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'Long', description: 'The id that REST uses.' }),
    destinationId: t.expose('destinationId', {
      type: 'Long',
      description: 'The id of the destination that REST uses.',
    }),
    destination: t.prismaField({
      type: DestinationRef,
      nullable: true,
      description: 'Null where it has been deleted.',
      resolve: (query, { destinationId }, _args, context, info) =>
        loadDestination(context, info, BigInt(destinationId), { ...query }),
    }),
    eventId: t.exposeString('eventId', {
      description: 'Of the event, the same at every destination and in every attempt.',
    }),
    topic: t.exposeString('topic', { description: 'Of the event.' }),
    status: t.expose('status', { type: StatusEnum, description: 'Where it stands.' }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Why it is not sent, where its destination is not disabled: what is wrong with the filter.',
    }),
    nextAttemptAt: t.expose('nextAttemptAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it is sent next; null where it is not.',
    }),
    attemptCount: t.exposeInt('tries', { description: 'How many attempts have ended.' }),
    lastAttempt: t.field({
      type: AttemptRef,
      nullable: true,
      complexity: 1,
      description: 'The last attempt that has ended; null before the first.',
      resolve: async ({ id, tries }, _args, context, info) =>
        tries === 0 ? null : ((await loadLastAttempts(context, info, id, undefined)) ?? null),
    }),
    attempts: t.field({
      type: [AttemptRef],
      description: 'In order; the last 100.',
      // The delivery was read earlier, so later attempts are left out to match its state.
      resolve: async ({ id, tries }, _args, context, info) =>
        ((await loadAttempts(context, info, id, undefined)) ?? []).filter((attempt) => attempt.try <= tries),
    }),
    payload: t.string({
      description: 'The body, byte for byte as it is sent.',
      resolve: async ({ id }, _args, context, info) => (await loadBodies(context, info, id, undefined)) ?? '',
    }),
    viewerCan: t.field({ type: DeliveryPermissions, resolve: () => permissions }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

const DeliveryFilterInput = builder.inputType('WebhookDeliveryFilter', {
  description: 'All given filters must match.',
  fields: (t) => ({
    destinationId: t.id({ description: 'Those to this destination.' }),
    topic: t.string({ description: 'Those of events of this topic.' }),
    status: t.field({ type: [StatusEnum], description: 'Any of these; all where it is empty or left out.' }),
    eventId: t.string({ description: 'Those of this event.' }),
    since: t.field({ type: 'DateTime', description: 'Made at this instant or later.' }),
    until: t.field({ type: 'DateTime', description: 'Made before this instant.' }),
    errorGroupId: t.id({ description: 'Those of this error group, which were given up or are held.' }),
  }),
});

const DeliveryOrderInput = orderInput('WebhookDelivery', { of: 'webhook deliveries', fields: { CREATED_AT: {} } });

builder.queryFields((t) => ({
  webhookDelivery: t.field({
    type: DeliveryRef,
    description: 'A delivery of the tenant.',
    nullable: true,
    authScopes: reads,
    args: { id: t.arg.id({ required: true }) },
    resolve: async (_root, { id }, context) => {
      const { deps, tenantId } = inTenant(context);
      const [found] = await findDeliveries(deps.database, tenantId, [readId('WebhookDelivery', id)]);
      return found ?? null;
    },
  }),
  webhookDeliveries: t.connection(
    {
      type: DeliveryRef,
      description: `What was sent in the last ${deliveryDays} days, and what waits to be.`,
      authScopes: reads,
      args: {
        filter: t.arg({ type: DeliveryFilterInput }),
        orderBy: t.arg({ type: DeliveryOrderInput, description: 'Left out: newest first.' }),
        offset: t.arg.int(offsetArg),
      },
      resolve: (_root, { filter, orderBy, ...page }, context) => {
        const { deps, tenantId } = inTenant(context);
        const { destinationId, topic, status, since, until, errorGroupId } = filter ?? {};
        return pageInOrder(deliveryList, page, {
          filter: {
            tenantId,
            topic,
            status,
            since,
            until,
            ...parseInput(eventId, { eventId: filter?.eventId }),
            ...(destinationId != null && { destinationId: String(readId('WebhookDestination', destinationId)) }),
            ...(errorGroupId != null && { errorGroupId: readUuid('ErrorGroup', errorGroupId) }),
          },
          order: orderBy ?? { field: 'CREATED_AT', direction: 'DESC' },
          query: (statement) => deps.database.tenantQuery(tenantId, statement),
          load: (ids) => findDeliveries(deps.database, tenantId, ids),
          rowId: ({ id }) => String(id),
        });
      },
    },
    defineConnection(DeliveryRef),
  ),
}));
