import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { takes } from '#src/graphql/mutation-input.ts';
import { readId } from '#src/infra/inputs.ts';
import { acknowledgeOrder, cancelOrder, completeOrder, releaseOrder } from './order-actions.service.ts';
import { acknowledgeOrderInput, cancelOrderInput, createOrderInput } from './orders.inputs.ts';
import { createOrder } from './placement.service.ts';

/** The ERP's actions; the service refuses the shop what is the ERP's. */
const acts = { admin: true, scope: 'orders:write' } as const;

const OrderPositionInput = builder.inputType('OrderPositionInput', {
  description: 'A line of an order that is placed.',
  fields: (t) => ({
    sku: t.string({ required: true, description: 'Of a product that is sold.' }),
    quantity: t.string({ required: true, description: 'More than 0, e.g. `"2.5"`.' }),
    unitPrice: t.string({ description: 'For one unit; left out: the price that applies to the buyer.' }),
    taxIncluded: t.boolean({ description: 'Whether `unitPrice` includes the tax; left out, it does not.' }),
    location: t.string({ description: 'Where its stock is reserved; left out: `main`.' }),
    costCentre: t.string({ description: 'The code that the buyer books it on.' }),
    buyerArticleNumber: t.string({ description: "The buyer's own number of the article." }),
    text: t.string({ description: 'A note of at most 2,000 characters.' }),
  }),
});

builder.relayMutationField(
  'createOrder',
  {
    inputFields: (t) => ({
      currency: t.string({ required: true, description: 'Three capitals, such as `EUR`.' }),
      channel: t.string({ description: 'Where it is placed, e.g. `web`; prices may depend on it.' }),
      customerOrderNumber: t.string({ description: "The buyer's own number of the order." }),
      externalKey: t.string({
        description: 'What the shop knows it by; the same key again answers the first order and changes nothing.',
      }),
      organizationId: t.id({ description: 'Who buys; prices, credit and approvals depend on it.' }),
      contactId: t.id({ description: 'Who orders for the organization.' }),
      shippingAddress: t.field({ type: 'AddressInput', description: 'Where the goods go.' }),
      billingAddress: t.field({ type: 'AddressInput', description: 'Where the invoice goes.' }),
      attributes: t.field({ type: 'JSON', description: "Values of the tenant's attributes, by code." }),
      positions: t.field({ type: [OrderPositionInput], required: true, description: '1 to 200 lines.' }),
    }),
  },
  {
    extensions: takes(createOrderInput, 'organizationId', 'contactId'),
    description: 'Places an order and reserves its stock. Where that is not enough, nothing is reserved.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input: { organizationId, contactId, ...input } }, context) => {
      const { automation, commerce, actor } = inTenant(context);
      const buyer = {
        ...(organizationId != null && { organizationId: readId('Organization', organizationId) }),
        ...(contactId != null && { contactId: readId('Contact', contactId) }),
      };
      return {
        order: await createOrder({ ...automation, placements: commerce.placements }, actor, { ...input, ...buyer }),
      };
    },
  },
  { outputFields: (t) => ({ order: t.field({ type: 'Order', resolve: ({ order }) => order }) }) },
);

builder.relayMutationField(
  'acknowledgeOrder',
  {
    inputFields: (t) => ({
      id: t.id({ required: true }),
      erpNumber: t.string({ description: 'Its number in the ERP, which never changes once it is known.' }),
    }),
  },
  {
    extensions: takes(acknowledgeOrderInput, 'id'),
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
  {
    inputFields: (t) => ({
      id: t.id({ required: true }),
      reason: t.string({ description: 'Kept in the history; at most 500 characters.' }),
    }),
  },
  {
    extensions: takes(cancelOrderInput, 'id'),
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
  { inputFields: (t) => ({ id: t.id({ required: true }) }) },
  {
    extensions: takes(null, 'id'),
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
  { inputFields: (t) => ({ id: t.id({ required: true }) }) },
  {
    extensions: takes(null, 'id'),
    description: 'Ends the hold of an order, so that the ERP learns of it. A repeat changes nothing.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input: { id } }, context) => ({
      order: await releaseOrder(context.deps, inTenant(context).actor, readId('Order', id)),
    }),
  },
  { outputFields: (t) => ({ order: t.field({ type: 'Order', resolve: ({ order }) => order }) }) },
);
