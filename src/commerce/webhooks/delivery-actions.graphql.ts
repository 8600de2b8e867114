import { builder } from '#src/graphql/builder.ts';
import { type Context, inTenant } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { defineListUpdate } from '#src/graphql/list-updates.ts';
import { idField, mutationInput } from '#src/graphql/mutation-input.ts';
import { NotFoundError } from '#src/infra/errors.ts';
import { readId } from '#src/infra/inputs.ts';
import type { ListEvent } from '#src/infra/live/lists/list-view.ts';
import { LiveStream } from '#src/infra/live/live-stream.ts';
import { DeliveryRef } from './deliveries.graphql.ts';
import type { Delivery } from './deliveries.inputs.ts';
import { findDeliveries } from './deliveries.reads.ts';
import { pingDestination, recoverDestination, resendDelivery } from './deliveries.service.ts';
import { recoverInput } from './destinations.inputs.ts';
import { followDeliveries } from './follow-deliveries.service.ts';
import { type DeliveryChange, watchDeliveries } from './watch-deliveries.service.ts';

const writes = { admin: true, scope: 'webhooks:write' } as const;

async function readDelivery(context: Context, id: bigint | number): Promise<Delivery> {
  const { deps, tenantId } = inTenant(context);
  const [delivery] = await findDeliveries(deps.database, tenantId, [id]);
  if (!delivery) throw new NotFoundError();
  return delivery;
}

builder.relayMutationField(
  'pingWebhookDestination',
  { inputFields: idField },
  {
    description: 'Sends an event of the topic `webhook.ping` to one destination, whatever its topics and filter say.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input: { id } }, context) => {
      const key = readId('WebhookDestination', id);
      return {
        webhookDelivery: await readDelivery(context, await pingDestination(context.deps, inTenant(context).actor, key)),
      };
    },
  },
  {
    outputFields: (t) => ({
      webhookDelivery: t.field({ type: DeliveryRef, resolve: ({ webhookDelivery }) => webhookDelivery }),
    }),
  },
);

builder.relayMutationField(
  'resendWebhookDelivery',
  { inputFields: idField },
  {
    description: 'Makes one more attempt of a delivery, also of one that arrived: the same id and bytes, signed anew.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input: { id } }, context) => {
      const key = readId('WebhookDelivery', id);
      return {
        webhookDelivery: await readDelivery(context, await resendDelivery(context.deps, inTenant(context).actor, key)),
      };
    },
  },
  {
    outputFields: (t) => ({
      webhookDelivery: t.field({ type: DeliveryRef, resolve: ({ webhookDelivery }) => webhookDelivery }),
    }),
  },
);

builder.relayMutationField(
  'recoverWebhookDestination',
  mutationInput(recoverInput, idField),
  {
    description:
      'Sends every delivery that was held or given up since a time. `WebhookDestination.backlog` shows how far that has come.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input: { id, ...input } }, context) => ({
      queued: await recoverDestination(context.deps, inTenant(context).actor, readId('WebhookDestination', id), input),
    }),
  },
  {
    outputFields: (t) => ({
      queued: t.exposeInt('queued', { description: 'How many are sent; with `dryRun`, how many would be.' }),
    }),
  },
);

builder.subscriptionField('webhookDeliveryUpdated', (t) =>
  t.field({
    type: DeliveryRef,
    authScopes: { member: true, scope: 'webhooks:read' },
    description: `With \`destinationId\`: the deliveries that wait for it, at most the newest 100, then every change of its deliveries.
Without: changes of all the tenant's deliveries from now on. A reader that falls behind gets the latest of each only.`,
    args: { destinationId: t.arg.id({ description: 'The destination to follow.' }) },
    subscribe: async (_root, { destinationId }, context) => {
      const { db, deps, tenantId } = inTenant(context);
      if (destinationId == null) return new LiveStream(watchDeliveries(deps, tenantId, null));
      const id = readId('WebhookDestination', destinationId);
      const found = await db.webhookDestination.findUnique({
        where: { tenantId_id: { tenantId, id } },
        select: { id: true },
      });
      if (!found) throw new NotFoundError();
      return new LiveStream(watchDeliveries(deps, tenantId, Number(id)));
    },
    resolve: ({ delivery }: DeliveryChange) => delivery,
  }),
);

const DeliveryListUpdate = defineListUpdate(DeliveryRef);

builder.subscriptionField('webhookDeliveriesUpdated', (t) =>
  t.field({
    type: DeliveryListUpdate,
    authScopes: { member: true, scope: 'webhooks:read' },
    description:
      "Follows the list of the tenant's deliveries: new ones and changes, without filter. The first event is `RELOAD`.",
    subscribe(_root, _args, context) {
      const { deps, tenantId } = inTenant(context);
      return new LiveStream(followDeliveries(deps, tenantId));
    },
    resolve: (event: ListEvent<Delivery>) => event,
  }),
);
