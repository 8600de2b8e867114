import { type ExportTarget, exported } from '#src/imports/targets/export-target.ts';
import { priceImportTarget } from './prices.import-target.ts';

const columns = exported(priceImportTarget.columns({ mode: 'full' }), {
  list: 'l.code',
  sku: 'p.sku',
  quantity_from: 'trim_scale(p.quantity_from)',
  amount: 'p.amount',
  currency: 'l.currency',
  valid_from: 'p.valid_from',
  valid_until: 'p.valid_until',
});

/** Prices, by list, SKU, quantity and start. */
export const priceExportTarget: ExportTarget = {
  name: 'prices',
  columns: () => columns,
  from: 'prices p JOIN price_lists l ON l.tenant_id = p.tenant_id AND l.id = p.list_id',
  orderBy: 'l.code, p.sku, p.quantity_from, p.valid_from NULLS FIRST',
  updatedAt: 'p.updated_at',
};
