import { defineNode, NodeError } from '@causeway/node-kit';
import { authorization } from './authorization.ts';

interface Position {
  sku: string;
  quantity: string | number;
  unit_price?: string | number;
  /** True if the price includes the tax; an order of another shop need not say so. */
  tax_included?: boolean;
}

export interface Order {
  /** The platform's id, by which the ERP acknowledges the order; an order of another shop has none. */
  id?: number;
  number: string;
  currency?: string;
  customer_order_number?: string | null;
  positions: Position[];
}

export interface CreateOrderConfig {
  base_url: string;
  order: Order;
  credential?: unknown;
  warehouse?: string;
}

interface CreatedOrder {
  erp_number: string;
  status: string;
}

/** The platform's order in the ERP's format. Amounts stay strings: a float would round money. */
export function toErpOrder(order: Order, warehouse: string): object {
  return {
    externalNumber: order.number,
    currency: order.currency ?? 'EUR',
    ...(order.id === undefined ? {} : { platformId: order.id }),
    ...(order.customer_order_number == null ? {} : { purchaseOrder: order.customer_order_number }),
    lines: order.positions.map((position, index) => ({
      line: (index + 1) * 10,
      article: position.sku,
      quantity: String(position.quantity),
      ...(position.unit_price === undefined ? {} : { price: String(position.unit_price) }),
      ...(position.tax_included === undefined ? {} : { taxIncluded: position.tax_included }),
      warehouse,
    })),
  };
}

export const { execute } = defineNode<CreateOrderConfig, CreatedOrder>({
  async execute(ctx) {
    const { base_url, order, warehouse = 'MAIN' } = ctx.config;
    if (typeof order?.number !== 'string' || !Array.isArray(order.positions) || order.positions.length === 0) {
      throw new NodeError('INVALID_ORDER', 'The order needs a number and at least one position.');
    }
    const response = await ctx.http.request({
      method: 'POST',
      url: `${base_url.replace(/\/$/, '')}/orders`,
      headers: { ...(await authorization(ctx)), 'idempotency-key': ctx.idempotencyKey },
      body: toErpOrder(order, warehouse),
    });
    if (response.status !== 200 && response.status !== 201) {
      throw new NodeError('ERP_REFUSED', `The ERP answered ${response.status} to order ${order.number}.`);
    }
    const created = response.body as { erpNumber: string; status: string };
    ctx.log.info(`Order ${order.number} is ${created.erpNumber} in the ERP.`);
    return { outputs: { erp_number: created.erpNumber, status: created.status } };
  },
});
