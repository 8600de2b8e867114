import { type ExportTarget, exported } from '#src/imports/targets/export-target.ts';
import { productImportTarget } from './products.import-target.ts';

const columns = exported(productImportTarget.columns({ mode: 'full' }), {
  sku: 'p.sku',
  name: 'p.name',
  description: 'p.description',
  active: 'p.active',
});

/** Products, by SKU. */
export const productExportTarget: ExportTarget = {
  name: 'products',
  columns: () => columns,
  from: 'products p',
  orderBy: 'p.sku',
  updatedAt: 'p.updated_at',
};
