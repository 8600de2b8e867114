import { decimalCell, textCell } from '#src/imports/targets/cells.ts';
import type { ImportTarget } from '#src/imports/targets/target.ts';
import { adjustStock } from './stock-adjustments.service.ts';
import { countAbsent, countStock, expireReservations } from './stock-counts.service.ts';
import { countedEventsSql, storedCounts, surveyCounts } from './stock-imports.store.ts';
import { stockChanged } from './stock.topics.ts';

/** Stock from files: counts where the file states what is there, adjustments where it states changes. */
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
  // Changes add up.
  mayRepeat: ({ mode }) => mode === 'delta',
  stored: ({ mode, absent, quantityBasis, asOf }) =>
    mode === 'full' && absent === 'keep' && quantityBasis === 'physical' && asOf === null ? storedCounts : undefined,
  prepare: expireReservations,
  survey: async (tx, rows, size) => (rows.options.mode === 'full' ? surveyCounts(tx, rows, size) : undefined),
  merge: (tx, chunk, surveyed) => (surveyed ? countStock(tx, chunk, surveyed) : adjustStock(tx, chunk)),
  zeroAbsent: countAbsent,
  events: { topic: stockChanged, eventsSql: countedEventsSql },
};
