import { decimalCell, textCell } from '#src/imports/targets/cells.ts';
import { type ExportTarget, exported } from '#src/imports/targets/export-target.ts';
import type { ImportTarget } from '#src/imports/targets/target.ts';
import { adjustStock } from './stock-adjustments.service.ts';
import { countAbsent, countStock, expireReservations } from './stock-counts.service.ts';
import { countedEventsSql, storedCounts, surveyCounts } from './stock-imports.store.ts';
import { stockChanged } from './stock.declarations.ts';

/** Imports stock: counts if the file states quantities, adjustments if it states changes. */
export const stockImportTarget: ImportTarget = {
  name: 'stock',
  columns: ({ mode }) => [
    { name: 'sku', cell: textCell({ max: 191 }), required: true },
    { name: 'location', cell: textCell({ max: 64 }), byDefault: 'main' },
    {
      name: 'quantity',
      cell: decimalCell({ sign: mode === 'full' ? 'not negative' : 'any' }),
      required: true,
    },
  ],
  key: ['sku', 'location'],
  // Changes of the same article add up.
  mayRepeat: ({ mode }) => mode === 'delta',
  stored: ({ mode, absent, quantityBasis, asOf }) =>
    mode === 'full' && absent === 'keep' && quantityBasis === 'physical' && asOf === null ? storedCounts : undefined,
  prepare: expireReservations,
  survey: async (tx, rows, size) => (rows.options.mode === 'full' ? surveyCounts(tx, rows, size) : undefined),
  merge: (tx, chunk, surveyed) => (surveyed ? countStock(tx, chunk, surveyed) : adjustStock(tx, chunk)),
  zeroAbsent: countAbsent,
  events: { topic: stockChanged, eventsSql: countedEventsSql },
};

/** Exports the stock of every article at every location where it ever moved. */
export const stockExportTarget: ExportTarget = {
  name: 'stock',
  columns: ({ quantityBasis }) =>
    exported(stockImportTarget.columns({ mode: 'full' }), {
      sku: 'b.sku',
      location: 'b.location',
      quantity: `trim_scale(${quantityBasis === 'available' ? 'b.on_hand - b.reserved' : 'b.on_hand'})`,
    }),
  from: 'stock_balances b',
  // A reorder point creates a balance as well.
  where: `b.on_hand <> 0 OR b.reserved <> 0 OR EXISTS (
    SELECT FROM stock_movements m WHERE m.tenant_id = b.tenant_id AND m.sku = b.sku AND m.location = b.location)`,
  orderBy: 'b.sku, b.location',
};
