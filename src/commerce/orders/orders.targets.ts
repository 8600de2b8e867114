import { booleanCell, type Cell, decimalCell, instantCell, textCell } from '#src/imports/targets/cells.ts';
import type { ExportColumn, ExportTarget } from '#src/imports/targets/export-target.ts';

const label = textCell({ max: 191 });
const text = textCell({ max: 2_000, whole: true });
const amount = decimalCell();

const column = (name: string, sql: string, cell: Cell = label): ExportColumn => ({ name, cell, sql });
const columns: readonly ExportColumn[] = [
  column('number', 'o.number::text'),
  column('status', 'o.status'),
  column('payment_status', 'o.payment_status'),
  column('fulfillment_status', 'o.fulfillment_status'),
  column('hold_reason', 'o.hold_reason'),
  column('erp_number', 'o.erp_number'),
  column('customer_order_number', 'o.customer_order_number'),
  column('customer_number', 'b.customer_number'),
  column('contact_email', 'c.email'),
  column('channel', 'o.channel'),
  column('currency', 'o.currency'),
  column('net', 'o.net', amount),
  column('tax', 'o.tax', amount),
  column('gross', 'o.gross', amount),
  column('placed_at', 'o.placed_at', instantCell),
  column('updated_at', 'o.updated_at', instantCell),
  column('line', 'p.line::text'),
  column('sku', 'p.sku'),
  column('name', 'p.name'),
  column('location', 'p.location'),
  column('quantity', 'trim_scale(p.quantity)', amount),
  column('unit_price', 'p.unit_price', amount),
  column('tax_rate', 'p.tax_rate', amount),
  column('line_total', 'p.line_total', amount),
  column('cost_centre', 'p.cost_centre'),
  column('buyer_article_number', 'p.buyer_article_number'),
  column('text', 'p.text', text),
  column('tax_included', 'p.tax_included', booleanCell),
];

/** Exports orders, a row for each position; the columns of the order are repeated in each of its rows. */
export const orderExportTarget: ExportTarget = {
  name: 'orders',
  columns: () => columns,
  from: `orders o JOIN order_positions p ON p.tenant_id = o.tenant_id AND p.order_id = o.id
    LEFT JOIN organizations b ON b.tenant_id = o.tenant_id AND b.id = o.organization_id
    LEFT JOIN contacts c ON c.tenant_id = o.tenant_id AND c.id = o.contact_id`,
  orderBy: 'o.number, p.line',
  updatedAt: 'o.updated_at',
};
