import { graphql } from '#console/graph/graphql.ts';
import { Refusal } from '#console/graph/refusal.ts';

export const ProductRow = graphql(`
  fragment ProductRow on Product {
    id
    databaseId
    sku
    name
    active
    taxRate
    updatedAt
  }
`);

export const Products = graphql(
  `
    query Products($first: Int, $after: String, $filter: ProductFilter, $orderBy: ProductOrder) {
      products(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
        edges {
          node {
            ...ProductRow
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [ProductRow],
);

export const ProductPage = graphql(
  `
    query ProductPage($id: ID!) {
      product(id: $id) {
        ...ProductRow
        description
        attributes
        createdAt
        viewerCan {
          update
          delete
        }
      }
    }
  `,
  [ProductRow],
);

export const ProductPrices = graphql(`
  query ProductPrices($sku: String!, $first: Int, $after: String) {
    prices(sku: $sku, first: $first, after: $after) {
      edges {
        node {
          id
          list
          quantityFrom
          amount
          currency
          taxIncluded
          validFrom
          validUntil
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export const CreateProduct = graphql(
  `
    mutation CreateProduct($input: CreateProductInput!) {
      createProduct(input: $input) {
        ... on CreateProductPayload {
          product {
            id
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);

export const UpdateProduct = graphql(
  `
    mutation UpdateProduct($input: UpdateProductInput!) {
      updateProduct(input: $input) {
        ... on UpdateProductPayload {
          product {
            ...ProductRow
          }
        }
        ...Refusal
      }
    }
  `,
  [ProductRow, Refusal],
);

export const DeleteProduct = graphql(
  `
    mutation DeleteProduct($input: DeleteProductInput!) {
      deleteProduct(input: $input) {
        ... on DeleteProductPayload {
          deletedId
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);
