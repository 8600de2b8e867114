import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { idField, mutationInput } from '#src/graphql/mutation-input.ts';
import { readId } from '#src/infra/inputs.ts';
import { acknowledgeOrder, cancelOrder, completeOrder, releaseOrder } from './order-actions.service.ts';
import { acknowledgeOrderInput, cancelOrderInput } from './orders.inputs.ts';

/** Access to the ERP's actions; the service refuses them to users of the shop. */
const acts = { admin: true, scope: 'orders:write' } as const;

builder.relayMutationField(
  'acknowledgeOrder',
  mutationInput(acknowledgeOrderInput, idField),
  {
    description: 'Confirms that the ERP booked the order. A repeat changes nothing.',
    authScopes: acts,
    errors: errorTypes,
    resolve: async (_root, { input: { id, ...input } }, context) => ({
      order: await acknowledgeOrder(context.deps, inTenant(context).actor, readId('Order', id), input),
    }),
  },
  { outputFields: (t) => ({ order: t.field({ type: 'Order', resolve: ({ order }) => order }) }) },
);

builder.relayMutationField(
  'cancelOrder',
  mutationInput(cancelOrderInput, idField),
  {
    description: 'Cancels an order of which nothing was shipped, and releases its stock. A repeat changes nothing.',
    authScopes: acts,
    errors: errorTypes,
    resolve: async (_root, { input: { id, ...input } }, context) => ({
      order: await cancelOrder(context.deps, inTenant(context).actor, readId('Order', id), input),
    }),
  },
  { outputFields: (t) => ({ order: t.field({ type: 'Order', resolve: ({ order }) => order }) }) },
);

builder.relayMutationField(
  'completeOrder',
  { inputFields: idField },
  {
    description: 'Completes an order and issues the stock that it still reserves. A repeat changes nothing.',
    authScopes: acts,
    errors: errorTypes,
    resolve: async (_root, { input: { id } }, context) => ({
      order: await completeOrder(context.deps, inTenant(context).actor, readId('Order', id)),
    }),
  },
  { outputFields: (t) => ({ order: t.field({ type: 'Order', resolve: ({ order }) => order }) }) },
);

builder.relayMutationField(
  'releaseOrder',
  { inputFields: idField },
  {
    description: 'Ends the hold of an order, so that the ERP learns of it. A repeat changes nothing.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input: { id } }, context) => ({
      order: await releaseOrder(context.deps, inTenant(context).actor, readId('Order', id)),
    }),
  },
  { outputFields: (t) => ({ order: t.field({ type: 'Order', resolve: ({ order }) => order }) }) },
);
