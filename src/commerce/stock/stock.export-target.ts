import { type ExportTarget, exported } from '#src/imports/targets/export-target.ts';
import { stockImportTarget } from './stock.import-target.ts';

/** Stock of every article at every location where it ever moved. */
export const stockExportTarget: ExportTarget = {
  name: 'stock',
  columns: ({ quantityBasis }) =>
    exported(stockImportTarget.columns({ mode: 'full' }), {
      sku: 'b.sku',
      location: 'b.location',
      quantity: `trim_scale(${quantityBasis === 'available' ? 'b.on_hand - b.reserved' : 'b.on_hand'})`,
    }),
  from: 'stock_balances b',
  // A reorder point makes a balance as well.
  where: `b.on_hand <> 0 OR b.reserved <> 0 OR EXISTS (
    SELECT FROM stock_movements m WHERE m.tenant_id = b.tenant_id AND m.sku = b.sku AND m.location = b.location)`,
  orderBy: 'b.sku, b.location',
};
