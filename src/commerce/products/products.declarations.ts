import { z } from 'zod';
import type { Product } from '#prisma/client.ts';
import type { AttributeValues } from '#src/commerce/attributes/attribute-values.rules.ts';
import { attributesSchema } from '#src/commerce/attributes/attributes.inputs.ts';
import { defineScopes } from '#src/infra/key-scopes.ts';
import { defineAudited } from '#src/journal/audit/audited.ts';
import { defineTopic } from '#src/journal/outbox/topic.ts';

export const auditedProduct = defineAudited({
  type: 'product',
  node: 'Product',
  actions: ['create', 'update', 'delete'],
});

const product = z.object({
  id: z.int(),
  sku: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  active: z.boolean(),
  tax_rate: z.string(),
  attributes: attributesSchema('product'),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

export const productCreated = defineTopic({
  name: 'product.created',
  when: 'when a product is made',
  data: product,
});
export const productUpdated = defineTopic({
  name: 'product.updated',
  when: 'when a product is changed',
  data: product,
});
export const productDeleted = defineTopic({
  name: 'product.deleted',
  when: 'when a product is deleted',
  data: z.object({ id: z.int(), sku: z.string() }),
});

/** The product as REST shows it. */
export const productData = (row: Product): z.input<typeof product> => ({
  id: Number(row.id),
  sku: row.sku,
  name: row.name,
  description: row.description,
  active: row.active,
  tax_rate: row.taxRate.toFixed(),
  attributes: row.attributes as AttributeValues,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
});

declare module '#src/infra/key-scopes.ts' {
  interface KeyScopes {
    'products:read': true;
    'products:write': true;
  }
}

export const productScopes = defineScopes({
  'products:read': 'Read products.',
  'products:write': 'Make, change and delete products.',
});
