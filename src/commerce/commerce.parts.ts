import type { Domain } from '#src/domains/parts/domain.ts';
import { auditedProduct } from './products/products.audit.ts';
import { productScopes } from './products/products.scopes.ts';
import { productCreated, productDeleted, productUpdated } from './products/products.topics.ts';
import { auditedCommerceSettings } from './settings/settings.audit.ts';

export const commerceParts: Domain['parts'] = {
  topics: [productCreated, productUpdated, productDeleted],
  audited: [auditedProduct, auditedCommerceSettings],
  scopes: [...productScopes],
};
