import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { type DemoOrder, placeDemoOrder } from './demo-shop.service.ts';

const DemoOrderRef = builder.objectRef<DemoOrder>('DemoOrder').implement({
  fields: (t) => ({ number: t.exposeString('number'), total: t.exposeFloat('total') }),
});

builder.queryFields((t) => ({
  demoOrders: t.field({
    type: [DemoOrderRef],
    authScopes: { member: true },
    resolve: (_root, _args, context) => {
      const { demoShop, tenantId } = inTenant(context);
      return demoShop.orders.filter((order) => order.tenantId === tenantId);
    },
  }),
}));

builder.mutationFields((t) => ({
  placeDemoOrder: t.field({
    type: DemoOrderRef,
    authScopes: { member: true },
    args: { number: t.arg.string({ required: true }), total: t.arg.float({ required: true }) },
    resolve: (_root, order, context) => placeDemoOrder(context.demoShop, inTenant(context).actor, order),
  }),
}));
