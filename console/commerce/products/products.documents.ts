import { mutation, rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const ProductRow = graphql(`
  fragment ProductRow on Product {
    id databaseId sku name active taxRate updatedAt
  }
`);

export const Products = rows('products', ProductRow);

export const ProductPage = graphql(
  `
  query ProductPage($id: ID!) {
    product(id: $id) { ...ProductRow description attributes createdAt viewerCan { update delete } }
  }
`,
  [ProductRow],
);

export const PriceRow = graphql(`
  fragment PriceRow on Price {
    id list quantityFrom amount currency taxIncluded validFrom validUntil
  }
`);

export const ProductPrices = rows('prices', PriceRow);

export const CreateProduct = mutation('createProduct', 'product { id }');

export const UpdateProduct = mutation('updateProduct', 'product { ...ProductRow }', [ProductRow]);

export const DeleteProduct = mutation('deleteProduct', 'deletedId');
