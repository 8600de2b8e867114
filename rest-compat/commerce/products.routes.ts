import { z } from 'zod';
import { inputBody } from '#rest/bodies.ts';
import { queryFlag } from '#rest/parameters.ts';
import { one } from '#rest/replies.ts';
import { route } from '#rest/route.ts';
import { updateProductInput } from '#src/commerce/products/products.inputs.ts';
import { instantText } from '#src/infra/text/instant-text.ts';
import { attributeParameters, attributesIn } from './attribute-parameters.ts';

const tag = { name: 'Products', description: 'Articles that the shop sells.' };

const productFields = `fragment Product on Product {
  id: databaseId sku name description active tax_rate: taxRate attributes created_at: createdAt updated_at: updatedAt
}`;

export const productRoutes = [
  route({
    method: 'GET',
    path: '/products',
    name: 'listProducts',
    tag,
    summary: 'The products of the tenant.',
    document: `query ($filter: ProductFilter, $orderBy: ProductOrder, $first: Int, $offset: Int) {
      products(filter: $filter, orderBy: $orderBy, first: $first, offset: $offset) {
        totalCount edges { node { ...Product } }
      }
    } ${productFields}`,
    query: z
      .object({ search: z.string().optional(), active: queryFlag, updated_since: instantText.optional() })
      .catchall(attributeParameters('product')),
    list: { order: { fields: ['sku', 'created_at', 'updated_at'], byDefault: 'sku.asc' } },
    variables: ({ query: { search, active, updated_since: updatedSince, ...more }, page }) => ({
      filter: { search, active, updatedSince, attributes: attributesIn(more) },
      ...page,
    }),
  }),
  route({
    method: 'GET',
    path: '/products/{id}',
    name: 'getProduct',
    tag,
    summary: 'A product.',
    document: `query ($id: ID!) { product(id: $id) { ...Product } } ${productFields}`,
    variables: ({ params }) => ({ id: params.id }),
    reply: one(),
  }),
  route({
    method: 'PUT',
    path: '/products/{id}',
    name: 'updateProduct',
    tag,
    summary: 'Changes what is given; what is as given already stays untouched.',
    document: `mutation ($input: UpdateProductInput!) {
      updateProduct(input: $input) { ... on UpdateProductPayload { product { ...Product } } ...Failure }
    } ${productFields}`,
    body: inputBody(updateProductInput),
    variables: ({ params, body }) => ({ input: { ...body, id: params.id } }),
    reply: one({ at: 'product' }),
    example: { body: { name: 'Blue mug', tax_rate: '19', attributes: {} } },
  }),
];
