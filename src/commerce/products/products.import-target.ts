import { booleanCell, textCell } from '#src/imports/targets/cells.ts';
import type { ImportTarget } from '#src/imports/targets/target.ts';
import { mergeProducts } from './product-imports.service.ts';

/** Products from files, by SKU. What a file leaves empty stays as it is. */
export const productImportTarget: ImportTarget = {
  name: 'products',
  columns: () => [
    { name: 'sku', cell: textCell({ max: 191 }), required: true },
    { name: 'name', cell: textCell({ max: 191 }), required: true },
    { name: 'description', cell: textCell({ max: 10_000, whole: true }) },
    { name: 'active', cell: booleanCell },
  ],
  key: ['sku'],
  merge: mergeProducts,
};
