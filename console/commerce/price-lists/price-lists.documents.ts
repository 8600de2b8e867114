import { graphql } from '#console/graph/graphql.ts';
import { Refusal } from '#console/graph/refusal.ts';

export const PriceListRow = graphql(`
  fragment PriceListRow on PriceList {
    id
    code
    name
    currency
    taxIncluded
    priority
    customer
    channel
    market
    validFrom
    validUntil
  }
`);

export const PriceLists = graphql(
  `
    query PriceLists($first: Int, $after: String, $orderBy: PriceListOrder) {
      priceLists(first: $first, after: $after, orderBy: $orderBy) {
        edges {
          node {
            ...PriceListRow
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [PriceListRow],
);

export const PriceListPage = graphql(
  `
    query PriceListPage($id: ID!) {
      priceList(id: $id) {
        ...PriceListRow
        createdAt
        updatedAt
        viewerCan {
          update
          delete
        }
      }
    }
  `,
  [PriceListRow],
);

export const PricesOfList = graphql(`
  query PricesOfList($id: ID!, $first: Int, $after: String) {
    priceList(id: $id) {
      id
      prices(first: $first, after: $after) {
        edges {
          node {
            id
            sku
            quantityFrom
            amount
            currency
            validFrom
            validUntil
            updatedAt
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  }
`);

export const CreatePriceList = graphql(
  `
    mutation CreatePriceList($input: CreatePriceListInput!) {
      createPriceList(input: $input) {
        ... on CreatePriceListPayload {
          priceList {
            id
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);

export const UpdatePriceList = graphql(
  `
    mutation UpdatePriceList($input: UpdatePriceListInput!) {
      updatePriceList(input: $input) {
        ... on UpdatePriceListPayload {
          priceList {
            ...PriceListRow
          }
        }
        ...Refusal
      }
    }
  `,
  [PriceListRow, Refusal],
);

export const DeletePriceList = graphql(
  `
    mutation DeletePriceList($input: DeletePriceListInput!) {
      deletePriceList(input: $input) {
        ... on DeletePriceListPayload {
          deletedId
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);

export const UpsertPrice = graphql(
  `
    mutation UpsertPrice($input: UpsertPriceInput!) {
      upsertPrice(input: $input) {
        ... on UpsertPricePayload {
          price {
            id
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);
