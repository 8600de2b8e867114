import { createOrderInput } from '#src/commerce/orders/orders.inputs.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { logAccepted } from '#src/graphql/log-accepted.ts';
import { mutationInput } from '#src/graphql/mutation-input.ts';
import { readId } from '#src/infra/inputs.ts';
import { createOrder } from './order-placement.service.ts';

builder.relayMutationField(
  'createOrder',
  mutationInput(createOrderInput, (t) => ({
    organizationId: t.id({ description: 'Who buys; prices, credit and approvals depend on it.' }),
    contactId: t.id({ description: 'Who orders for the organization.' }),
  })),
  {
    description: 'Places an order and reserves its stock. Where that is not enough, nothing is reserved.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input: { organizationId, contactId, ...input } }, context) => {
      const { commerce, actor } = inTenant(context);
      const buyer = {
        ...(organizationId != null && { organizationId: readId('Organization', organizationId) }),
        ...(contactId != null && { contactId: readId('Contact', contactId) }),
      };
      const order = await createOrder(commerce, actor, { ...input, ...buyer });
      logAccepted(context, { orderId: order.id, number: order.number });
      return { order };
    },
  },
  { outputFields: (t) => ({ order: t.field({ type: 'Order', resolve: ({ order }) => order }) }) },
);
