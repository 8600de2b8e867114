import { z } from 'zod';
import type { RunnableNode } from '#src/automation/node-api/builtin-node.ts';
import { organizationData } from '#src/commerce/organizations/organizations.declarations.ts';
import { upsertOrganization } from '#src/commerce/organizations/organizations.service.ts';
import { productData } from '#src/commerce/products/products.declarations.ts';
import { upsertProduct } from '#src/commerce/products/products.service.ts';
import type { Deps } from '#src/infra/deps.ts';
import { defineNode, text } from './commerce-node.ts';

const address = z
  .object({
    type: text.nullish(),
    name: text.nullish(),
    street: text.nullish(),
    postal_code: text.nullish(),
    city: text.nullish(),
    country: text.nullish(),
  })
  .transform(({ postal_code: postalCode, ...same }) => ({ ...same, postalCode }));

export const masterDataNodes = (deps: Deps): RunnableNode[] => [
  defineNode({
    name: 'upsert-organization',
    config: z.object({
      customer_number: text,
      name: text.nullish(),
      // An expression yields a single address instead of a list of one.
      addresses: z.union([z.array(address), address.transform((one) => [one])]).nullish(),
      payment_terms: text.nullish(),
    }),
    async execute({ customer_number: customerNumber, payment_terms: paymentTerms, ...given }, { ports }) {
      const input = { ...given, customerNumber, paymentTerms };
      return { organization: organizationData(await upsertOrganization(deps, ports.tenant.actor(), input)) };
    },
  }),
  defineNode({
    name: 'upsert-product',
    config: z.object({
      sku: text,
      name: text.nullish(),
      description: text.nullish(),
      active: z.boolean().nullish(),
      tax_rate: text.nullish(),
      attributes: z.record(z.string(), z.unknown()).nullish(),
    }),
    async execute({ tax_rate: taxRate, ...given }, { ports }) {
      return { product: productData(await upsertProduct(deps, ports.tenant.actor(), { ...given, taxRate })) };
    },
  }),
];
