import { graphql } from '#console/graph/graphql.ts';
import { Refusal } from '#console/graph/refusal.ts';

export const StockRow = graphql(`
  fragment StockRow on Stock {
    id
    sku
    onHand
    reserved
    available
    reorderPoint
    locations {
      location
      onHand
      reserved
      available
      reorderPoint
    }
  }
`);

export const Stocks = graphql(
  `
    query Stocks($first: Int, $after: String, $orderBy: StockOrder) {
      stocks(first: $first, after: $after, orderBy: $orderBy) {
        edges {
          node {
            ...StockRow
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [StockRow],
);

export const StockPage = graphql(
  `
    query StockPage($sku: String!) {
      stock(sku: $sku) {
        ...StockRow
        viewerCan {
          book
          transfer
          setReorderPoint
        }
      }
    }
  `,
  [StockRow],
);

export const StockLedger = graphql(`
  query StockLedger($sku: String, $first: Int, $after: String) {
    stockMovements(sku: $sku, first: $first, after: $after) {
      edges {
        node {
          id
          location
          kind
          delta
          reservedDelta
          reference
          reservation
          expiresAt
          note
          occurredAt
          createdAt
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export const BookMovement = graphql(
  `
    mutation BookMovement($input: BookMovementInput!) {
      bookMovement(input: $input) {
        ... on BookMovementPayload {
          movement {
            id
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);

export const TransferStock = graphql(
  `
    mutation TransferStock($input: TransferStockInput!) {
      transferStock(input: $input) {
        ... on TransferStockPayload {
          movements {
            id
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);

export const SetReorderPoint = graphql(
  `
    mutation SetReorderPoint($input: SetReorderPointInput!) {
      setReorderPoint(input: $input) {
        ... on SetReorderPointPayload {
          stock {
            ...StockRow
          }
        }
        ...Refusal
      }
    }
  `,
  [StockRow, Refusal],
);
