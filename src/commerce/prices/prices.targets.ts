import { decimalCell, instantCell, textCell } from '#src/imports/targets/cells.ts';
import { type ExportTarget, exported } from '#src/imports/targets/export-target.ts';
import type { ImportTarget } from '#src/imports/targets/target.ts';
import { mergePrices } from './price-imports.service.ts';
import { importedPriceEventsSql, storedPrices, surveyPrices } from './price-imports.store.ts';
import { priceChanged } from './prices.declarations.ts';

/** Imports prices by list, SKU, quantity and start. A row replaces the complete price: one without dates is valid without limit. */
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
  stored: () => storedPrices,
  survey: surveyPrices,
  merge: mergePrices,
  events: { topic: priceChanged, eventsSql: importedPriceEventsSql },
};

const columns = exported(priceImportTarget.columns({ mode: 'full' }), {
  list: 'l.code',
  sku: 'p.sku',
  quantity_from: 'trim_scale(p.quantity_from)',
  amount: 'p.amount',
  currency: 'l.currency',
  valid_from: 'p.valid_from',
  valid_until: 'p.valid_until',
});

/** Exports prices, ordered by list, SKU, quantity and start. */
export const priceExportTarget: ExportTarget = {
  name: 'prices',
  columns: () => columns,
  from: 'prices p JOIN price_lists l ON l.tenant_id = p.tenant_id AND l.id = p.list_id',
  orderBy: 'l.code, p.sku, p.quantity_from, p.valid_from NULLS FIRST',
  updatedAt: 'p.updated_at',
};
