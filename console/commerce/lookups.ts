import type { NounLookup } from '#console/ui/lookup/lookup.ts';

/** SKUs, found by the name or SKU of their article. Stock and prices may have SKUs without an article. */
export const articles: NounLookup = { noun: 'products', by: 'sku', takesOthers: true };

/** Customer numbers, found by the customer's name or number. */
export const buyers: NounLookup = { noun: 'customers', by: 'customerNumber', takesOthers: true };
