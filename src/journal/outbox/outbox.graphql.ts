import { builder } from '#src/graphql/builder.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { mutationInput } from '#src/graphql/mutation-input.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg, pageByKey } from '#src/graphql/paging/connections.ts';
import { isRow } from '#src/graphql/rows.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { failureKey, readFailureFilter } from './outbox.inputs.ts';
import { countFailures, failureCursors, findFailure, listFailures, type OutboxFailure } from './outbox.reads.ts';
import { discardOutboxFailure, retryOutboxFailure } from './outbox.service.ts';

const OutboxFailureRef = builder.objectRef<OutboxFailure>('OutboxFailure');

const OutboxFailurePermissions = permissionsType('OutboxFailurePermissions', {
  retry: 'retryOutboxFailure',
  discard: 'discardOutboxFailure',
});

builder.node(OutboxFailureRef, {
  id: { resolve: ({ consumer, eventId }) => `${consumer}/${eventId}` },
  loadOne: (id, context) => {
    const [consumer, eventId] = id.split('/', 2);
    const key = failureKey.safeParse({ consumer, eventId });
    return key.success ? findFailure(context.deps.database, key.data) : null;
  },
  isTypeOf: (value) => isRow(value, 'consumer', 'eventId'),
  description: 'An event that a consumer of the outbox could not handle and passed over, kept for thirty days.',
  authScopes: { operator: true },
  fields: (t) => ({
    consumer: t.exposeString('consumer', { description: 'Whose it is, e.g. event-triggers.' }),
    eventId: t.exposeString('eventId', { description: 'The id of the event, the same for all its consumers.' }),
    tenantId: t.exposeString('tenantId', { description: 'The slug of the tenant.' }),
    topic: t.exposeString('topic', { description: 'What happened, e.g. `order.created`.' }),
    error: t.exposeString('error', { description: 'What went wrong at the last try.' }),
    viewerCan: t.field({ type: OutboxFailurePermissions, resolve: () => permissions }),
    publishedAt: t.expose('publishedAt', { type: 'DateTime', description: 'When the event was published.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was put aside.' }),
  }),
});

const OutboxFailureFilterInput = builder.inputType('OutboxFailureFilter', {
  description: 'All given filters must match.',
  fields: (t) => ({
    consumer: t.string({ description: 'Whose it is, e.g. event-triggers.' }),
    topic: t.string({ description: 'What happened, e.g. `order.created`.' }),
    tenantId: t.string({ description: 'The slug of the tenant.' }),
    since: t.field({ type: 'DateTime', description: 'Put aside at this instant or later.' }),
    until: t.field({ type: 'DateTime', description: 'Put aside before this instant.' }),
  }),
});

builder.queryFields((t) => ({
  outboxFailures: t.connection(
    {
      type: OutboxFailureRef,
      authScopes: { operator: true },
      description: 'Events of all tenants that were put aside, newest first.',
      args: { filter: t.arg({ type: OutboxFailureFilterInput }), offset: t.arg.int(offsetArg) },
      resolve: (_root, { filter, ...page }, { deps: { database } }) =>
        pageByKey(
          page,
          failureCursors,
          (keys) => listFailures(database, readFailureFilter(filter ?? {}), keys),
          (most) => countFailures(database, readFailureFilter(filter ?? {}), most),
        ),
    },
    defineConnection(OutboxFailureRef),
  ),
}));

builder.relayMutationField(
  'retryOutboxFailure',
  mutationInput(failureKey),
  {
    authScopes: { operator: true },
    errors: errorTypes,
    description: 'Hands the event to its consumer once more; where that fails again, it stays as it is.',
    resolve: async (_root, { input }, { deps, principal, consumers }) => ({
      outboxFailure: await retryOutboxFailure(deps, principal, input, consumers),
    }),
  },
  {
    outputFields: (t) => ({
      outboxFailure: t.field({ type: OutboxFailureRef, resolve: ({ outboxFailure }) => outboxFailure }),
    }),
  },
);

builder.relayMutationField(
  'discardOutboxFailure',
  mutationInput(failureKey),
  {
    authScopes: { operator: true },
    errors: errorTypes,
    description: 'Gives the event up, for this consumer.',
    resolve: async (_root, { input }, { deps, principal }) => ({
      outboxFailure: await discardOutboxFailure(deps, principal, input),
    }),
  },
  {
    outputFields: (t) => ({
      outboxFailure: t.field({ type: OutboxFailureRef, resolve: ({ outboxFailure }) => outboxFailure }),
    }),
  },
);
