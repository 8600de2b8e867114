import { booleanCell, type Cell, Fault, textCell } from '#src/imports/targets/cells.ts';
import { type ExportTarget, exported } from '#src/imports/targets/export-target.ts';
import type { ImportTarget } from '#src/imports/targets/target.ts';
import { mergeProducts } from './product-imports.service.ts';
import { foldedAway, isFoldedAway } from './products.inputs.ts';

const sku = textCell({ max: 191 });
const refused = new Fault(foldedAway);
const skuCell: Cell = {
  ...sku,
  read(text, format) {
    const read = sku.read(text, format);
    return typeof read === 'string' && isFoldedAway(read) ? refused : read;
  },
};

/** Imports products by SKU. An empty cell leaves its value unchanged. */
export const productImportTarget: ImportTarget = {
  name: 'products',
  columns: () => [
    { name: 'sku', cell: skuCell, required: true },
    { name: 'name', cell: textCell({ max: 191 }), required: true },
    { name: 'description', cell: textCell({ max: 10_000, whole: true }) },
    { name: 'active', cell: booleanCell },
  ],
  key: ['sku'],
  merge: mergeProducts,
};

const columns = exported(productImportTarget.columns({ mode: 'full' }), {
  sku: 'p.sku',
  name: 'p.name',
  description: 'p.description',
  active: 'p.active',
});

/** Exports products. */
export const productExportTarget: ExportTarget = {
  name: 'products',
  columns: () => columns,
  from: 'products p',
  orderBy: 'p.sku',
  updatedAt: 'p.updated_at',
};
