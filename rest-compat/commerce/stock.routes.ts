import { z } from 'zod';
import { inputBody } from '#rest/bodies.ts';
import { madeOrFound, one } from '#rest/replies.ts';
import { route } from '#rest/route.ts';
import { bookMovementInput } from '#src/commerce/stock/stock.inputs.ts';
import { instantText } from '#src/infra/text/instant-text.ts';

const tag = {
  name: 'Stock',
  description: 'What is there of each product, and the ledger of movements that made it so.',
};

const figures = 'on_hand: onHand reserved available reorder_point: reorderPoint';
const stockFields = `fragment Stock on Stock { sku ${figures} locations { location ${figures} } }`;
const movementFields = `fragment Movement on Movement {
  id: databaseId sku location kind quantity delta reserved_delta: reservedDelta reference note reservation
  expires_at: expiresAt occurred_at: occurredAt created_at: createdAt
}`;

export const stockRoutes = [
  route({
    method: 'GET',
    path: '/inventories/stock',
    name: 'listStock',
    tag,
    summary: 'The stock of every product.',
    document: `query ($orderBy: StockOrder, $first: Int, $offset: Int) {
      stocks(orderBy: $orderBy, first: $first, offset: $offset) { totalCount edges { node { ...Stock } } }
    } ${stockFields}`,
    list: { order: { fields: ['sku'], byDefault: 'sku.asc' } },
    variables: ({ page }) => ({ ...page }),
  }),
  route({
    method: 'GET',
    path: '/inventories/stock/{sku}',
    name: 'getStock',
    tag,
    summary: 'The stock of a product, in sum and per location.',
    document: `query ($sku: String!) { stock(sku: $sku) { ...Stock } } ${stockFields}`,
    variables: ({ params }) => ({ sku: params.sku }),
    refuses: ['NOT_FOUND'],
    reply: one(),
  }),
  route({
    method: 'GET',
    path: '/inventories/availability',
    name: 'getAvailability',
    tag,
    summary: 'What of a product is available, in sum and per location.',
    document: 'query ($sku: String!) { stock(sku: $sku) { sku available locations { location available } } }',
    query: z.object({ sku: z.string().min(1) }),
    variables: ({ query }) => ({ sku: query.sku }),
    refuses: ['NOT_FOUND'],
    reply: one(),
  }),
  route({
    method: 'GET',
    path: '/inventories/movements',
    name: 'listMovements',
    tag,
    summary: 'The ledger, newest first.',
    document: `query ($sku: String, $location: String, $orderBy: MovementOrder, $first: Int, $offset: Int) {
      stockMovements(sku: $sku, location: $location, orderBy: $orderBy, first: $first, offset: $offset) {
        totalCount edges { node { ...Movement } }
      }
    } ${movementFields}`,
    query: z.object({ sku: z.string().optional(), location: z.string().optional() }),
    list: { order: { fields: ['created_at'], byDefault: 'created_at.desc' } },
    variables: ({ query: { sku, location }, page }) => ({ sku, location, ...page }),
  }),
  route({
    method: 'POST',
    path: '/inventories/movements',
    name: 'bookMovement',
    tag,
    summary: 'Books a movement. Its reference again answers the first one with 200.',
    document: `mutation ($input: BookMovementInput!) {
      bookMovement(input: $input) { ... on BookMovementPayload { movement { ...Movement } created } ...Failure }
    } ${movementFields}`,
    body: inputBody(bookMovementInput.extend({ expiresAt: instantText.nullish(), occurredAt: instantText.nullish() })),
    variables: ({ body }) => ({ input: body }),
    refuses: ['CONFLICT'],
    reply: madeOrFound({ at: 'movement', by: 'created' }),
    example: {
      body: { sku: 'MUG-1', kind: 'receipt', quantity: '12', reference: 'delivery-4711/1', note: 'Pallet 3' },
    },
  }),
];
