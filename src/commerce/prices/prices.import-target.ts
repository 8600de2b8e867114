import { decimalCell, instantCell, textCell } from '#src/imports/targets/cells.ts';
import type { ImportTarget } from '#src/imports/targets/target.ts';
import { wakeRelay } from '#src/journal/outbox/outbox.ts';
import { findRefusedPrices, holdPriceLists, writePrices } from './price-imports.store.ts';

/** Prices from files, by list, SKU, quantity and start. A row is whole: a validity that it leaves empty is none. */
export const priceImportTarget: ImportTarget = {
  name: 'prices',
  columns: () => [
    { name: 'list', cell: textCell({ max: 191 }), required: true },
    { name: 'sku', cell: textCell({ max: 191 }), required: true },
    { name: 'quantity_from', cell: decimalCell({ sign: 'positive' }), byDefault: '1' },
    { name: 'amount', cell: decimalCell({ fraction: 4, sign: 'not negative' }), required: true },
    { name: 'currency', cell: textCell({ max: 3 }) },
    { name: 'valid_from', cell: instantCell },
    { name: 'valid_until', cell: instantCell },
  ],
  key: ['list', 'sku', 'quantity_from', 'valid_from'],
  async merge(tx, chunk) {
    await holdPriceLists(tx, chunk);
    const refused = await findRefusedPrices(tx, chunk);
    const written = await writePrices(tx, chunk, refused);
    if (written > 0) wakeRelay(tx);
    return { written, refused };
  },
};
