import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { mutationInput } from '#src/graphql/mutation-input.ts';
import { nodeAccess } from '#src/graphql/node-access.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg } from '#src/graphql/paging/connections.ts';
import { orderInput } from '#src/graphql/paging/order-input.ts';
import { pageInOrder } from '#src/graphql/paging/ordered-lists.ts';
import { isRow } from '#src/graphql/rows.ts';
import { readId } from '#src/infra/inputs.ts';
import { findMovements, movementList } from './movements.reads.ts';
import { bookMovementInput, type Movement, movementKinds, transferStockInput } from './stock.inputs.ts';
import { bookMovement, transferStock } from './stock.service.ts';

const reads = { member: true, scope: 'stock:read' } as const;
const writes = { admin: true, scope: 'stock:write' } as const;

const MovementKindEnum = defineEnum('MovementKind', movementKinds, {
  description: 'What a movement does to what is on hand or reserved.',
  values: {
    receipt: 'Adds goods that came in.',
    issue: 'Takes goods that went out, of what is available or of a reservation.',
    return: 'Adds goods that came back.',
    adjustment: 'Corrects what is on hand, up or down.',
    count: 'States what is on hand; always accepted.',
    transfer_in: 'Adds what came from another location.',
    transfer_out: 'Takes what went to another location.',
    reserve: 'Promises what is available.',
    release: 'Makes available again what was reserved.',
  },
});

const MovementRef = builder.objectRef<Movement>('Movement');

builder.node(MovementRef, {
  id: { resolve: ({ id }) => String(id) },
  loadOne: async (id, { tenant, deps }) => {
    if (!tenant) return null;
    const [found] = await findMovements(deps.database, tenant.id, [readId('Movement', id)]);
    return found ?? null;
  },
  isTypeOf: (value) => isRow(value, 'reservedDelta', 'reference'),
  // Not `authScopes` of the type: a key that may only write still gets the object that it wrote in the response.
  extensions: nodeAccess(reads),
  description: 'An entry of the stock ledger. It never changes: a correction is another movement.',
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'Long', description: 'The id that REST uses.' }),
    sku: t.exposeString('sku', { description: 'Of the product that moved.' }),
    location: t.exposeString('location', { description: 'Where it moved.' }),
    kind: t.expose('kind', { type: MovementKindEnum, description: 'What it did.' }),
    quantity: t.expose('quantity', { type: 'Decimal', description: 'As it was sent.' }),
    delta: t.expose('delta', { type: 'Decimal', description: 'What it added to what is on hand.' }),
    reservedDelta: t.expose('reservedDelta', { type: 'Decimal', description: 'What it added to what is reserved.' }),
    reference: t.exposeString('reference', { description: 'The business key of the movement, unique in the tenant.' }),
    note: t.exposeString('note', { nullable: true, description: 'For people.' }),
    reservation: t.exposeString('reservation', {
      nullable: true,
      description: 'The reference of the reservation that an issue or release used up, where it named one.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When what is left of a reserve is free again.',
    }),
    occurredAt: t.expose('occurredAt', { type: 'DateTime', description: 'When the goods moved.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was booked.' }),
  }),
});

const MovementOrderInput = orderInput('Movement', { of: 'movements', fields: { CREATED_AT: {} } });

builder.queryFields((t) => ({
  stockMovements: t.connection(
    {
      type: MovementRef,
      description: 'The stock ledger of the tenant.',
      authScopes: reads,
      args: {
        sku: t.arg.string({ description: 'Only those of this product.' }),
        location: t.arg.string({ description: 'Only those at this location.' }),
        orderBy: t.arg({ type: MovementOrderInput, description: 'Left out: newest first.' }),
        offset: t.arg.int(offsetArg),
      },
      resolve: (_root, { sku, location, orderBy, ...page }, context) => {
        const { deps, tenantId } = inTenant(context);
        return pageInOrder(movementList, page, {
          filter: { tenantId, sku: sku ?? null, location: location ?? null },
          order: orderBy ?? { field: 'CREATED_AT', direction: 'DESC' },
          query: (statement) => deps.database.tenantQuery(tenantId, statement),
          load: (ids) => findMovements(deps.database, tenantId, ids),
          rowId: ({ id }) => String(id),
        });
      },
    },
    defineConnection(MovementRef),
  ),
}));

builder.relayMutationField(
  'bookMovement',
  mutationInput(bookMovementInput),
  {
    description:
      'Books a movement. Its reference again answers the first movement; with another SKU, location, kind or quantity it is refused.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input }, context) => {
      const { actor, commerce } = inTenant(context);
      const { repeated, ...movement } = await bookMovement(commerce, actor, input);
      return { movement, created: !repeated };
    },
  },
  {
    outputFields: (t) => ({
      movement: t.field({ type: MovementRef, resolve: ({ movement }) => movement }),
      created: t.boolean({
        description: 'False where the reference had been booked before.',
        resolve: ({ created }) => created,
      }),
    }),
  },
);

builder.relayMutationField(
  'transferStock',
  mutationInput(transferStockInput),
  {
    description: 'Books a transfer between two locations: both of its movements or none.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input }, context) => {
      const { actor, commerce } = inTenant(context);
      return { movements: await transferStock(commerce, actor, input) };
    },
  },
  {
    outputFields: (t) => ({
      movements: t.field({
        type: [MovementRef],
        description: 'What left the one location and what came to the other.',
        resolve: ({ movements }) => movements,
      }),
    }),
  },
);
