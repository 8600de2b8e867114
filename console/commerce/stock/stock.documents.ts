import { mutation, rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const StockRow = graphql(`
  fragment StockRow on Stock {
    id sku onHand reserved available reorderPoint
    locations { location onHand reserved available reorderPoint }
  }
`);

export const Stocks = rows('stocks', StockRow);

export const StockPage = graphql(
  `
  query StockPage($sku: String!) {
    stock(sku: $sku) { ...StockRow viewerCan { book transfer setReorderPoint } }
  }
`,
  [StockRow],
);

export const MovementRow = graphql(`
  fragment MovementRow on Movement {
    id location kind delta reservedDelta reference reservation expiresAt note occurredAt createdAt
  }
`);

export const StockLedger = rows('stockMovements', MovementRow);

export const BookMovement = mutation('bookMovement', 'movement { id }');

export const TransferStock = mutation('transferStock', 'movements { id }');

export const SetReorderPoint = mutation('setReorderPoint', 'stock { ...StockRow }', [StockRow]);
