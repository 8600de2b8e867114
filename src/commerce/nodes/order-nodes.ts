import { z } from 'zod';
import type { RunnableNode } from '#src/automation/node-api/builtin-node.ts';
import { acknowledgeOrder, cancelOrder, completeOrder } from '#src/commerce/orders/order-actions.service.ts';
import { findBuyer } from '#src/commerce/orders/order-buyer.reads.ts';
import { orderData } from '#src/commerce/orders/orders.declarations.ts';
import { orderStatuses } from '#src/commerce/orders/orders.inputs.ts';
import { findOrders, orderList } from '#src/commerce/orders/orders.reads.ts';
import type { Deps } from '#src/infra/deps.ts';
import { NotFoundError, ValidationError } from '#src/infra/errors.ts';
import {
  countOfList,
  type Order,
  pageOfList,
  type Place,
  type PlacedRow,
  readPlace,
} from '#src/infra/postgres/lists/ordered-list.ts';
import { databaseId, defineNode, instant, text } from './commerce-node.ts';

const status = z.enum(orderStatuses);
const fields = ['created_at', 'updated_at', 'placed_at', 'number'] as const;
const orders = fields.flatMap((field) => [`${field}.asc`, `${field}.desc`] as const);
/** Totals are exact up to this number, as in REST. */
const maxCounted = 100_000;

export const orderNodes = (deps: Deps): RunnableNode[] => [
  defineNode({
    name: 'get-order',
    config: z.object({ order_id: databaseId }),
    async execute({ order_id: id }, { ports }) {
      const tenantId = ports.tenant.id();
      const [order] = await findOrders(deps.database, tenantId, [id]);
      if (!order) throw new NotFoundError(`There is no order ${id}.`);
      return { order: orderData(order), buyer: await findBuyer(deps.database, tenantId, order) };
    },
  }),
  listOrders(deps),
  defineNode({
    name: 'acknowledge-order',
    config: z.object({ order_id: databaseId, erp_number: text.nullish() }),
    execute: async ({ order_id: id, erp_number: erpNumber }, { ports }) => ({
      order: orderData(await acknowledgeOrder(deps, ports.tenant.actor(), id, { erpNumber })),
    }),
  }),
  defineNode({
    name: 'cancel-order',
    config: z.object({ order_id: databaseId, reason: text.nullish() }),
    execute: async ({ order_id: id, reason }, { ports }) => ({
      order: orderData(await cancelOrder(deps, ports.tenant.actor(), id, { reason })),
    }),
  }),
  defineNode({
    name: 'complete-order',
    config: z.object({ order_id: databaseId }),
    execute: async ({ order_id: id }, { ports }) => ({
      order: orderData(await completeOrder(deps, ports.tenant.actor(), id)),
    }),
  }),
];

const listOrdersConfig = z.object({
  status: z.union([status, z.array(status).max(orderStatuses.length)]).nullish(),
  updated_since: instant.nullish(),
  held: z.boolean().nullish(),
  limit: z.int().min(1).max(100).nullish(),
  offset: z.int().min(0).max(maxCounted).nullish(),
  after: z.array(z.string()).nullish(),
  order: z.enum(orders).nullish(),
});

const listOrders = ({ database }: Deps): RunnableNode =>
  defineNode({
    name: 'list-orders',
    config: listOrdersConfig,
    async execute({ status: given, updated_since: updatedSince, held: isHeld, ...paging }, { ports }) {
      const tenantId = ports.tenant.id();
      const filter = { tenantId, status: typeof given === 'string' ? [given] : given, updatedSince, isHeld };
      const take = paging.limit ?? 25;
      const by = parseOrder(paging.order ?? 'created_at.desc');
      // One additional row shows whether there is a next page.
      const page = {
        take: take + 1,
        skip: paging.offset ?? 0,
        backwards: false,
        after: parsePlace(by, paging.after),
        before: undefined,
      };
      const read = await database.tenantQuery<PlacedRow>(tenantId, pageOfList(orderList, filter, by, page));
      const count = countOfList(orderList, filter, maxCounted);
      const [counted] = await database.tenantQuery<{ count: number }>(tenantId, count);
      const placed = read.slice(0, take);
      const ids = placed.map(({ rowId }) => rowId);
      const found = new Map((await findOrders(database, tenantId, ids)).map((row) => [String(row.id), row]));
      const items = ids.flatMap((id) => found.get(id) ?? []).map(orderData);
      return { items, total: counted?.count ?? 0, next: read.length > take ? (placed.at(-1)?.place ?? null) : null };
    },
  });

/** The place after the previous page, from its `next`. */
function parsePlace(order: Order<ListField>, after: string[] | null | undefined): Place | undefined {
  if (!after) return undefined;
  const place = readPlace(orderList, order, after);
  if (!place) throw new ValidationError({ after: ['must be the next of a page in the same order.'] });
  return place;
}

type ListField = keyof (typeof orderList)['orders'];

function parseOrder(given: (typeof orders)[number]): Order<ListField> {
  const [field, direction] = given.split('.') as [string, string];
  return { field: field.toUpperCase() as ListField, direction: direction === 'asc' ? 'ASC' : 'DESC' };
}
