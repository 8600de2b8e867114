import { changes, rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';
import { OrderStory } from './order-story.documents.ts';

export const OrderRow = graphql(`
  fragment OrderRow on Order {
    id databaseId number status paymentStatus fulfillmentStatus holdReason currency erpNumber placedAt
    totals { net tax gross }
    organization { id name }
  }
`);

export const Orders = rows('orders', OrderRow);

export const OrdersFollowed = changes('ordersUpdated', OrderRow);

export const OrderAddress = graphql(`
  fragment OrderAddress on Address {
    name street postalCode city country
  }
`);

export const FulfillmentLines = graphql(`
  fragment FulfillmentLines on FulfillmentLine {
    quantity
    position { id sku name }
  }
`);

export const OrderPage = graphql(
  `
  query OrderPage($id: ID!) {
    order(id: $id) {
      ...OrderRow uid externalKey customerOrderNumber channel createdAt updatedAt attributes
      contact { id email }
      organization { id customerNumber }
      positions {
        id sku name quantity unitPrice taxIncluded taxRate lineTotal location costCentre buyerArticleNumber
        text reserved shipped returned
      }
      taxes { rate net tax gross }
      shippingAddress { ...OrderAddress }
      billingAddress { ...OrderAddress }
      shipments { id reference createdAt lines { ...FulfillmentLines } }
      returns { id reference createdAt lines { ...FulfillmentLines } }
      payments { id kind amount reference createdAt }
      ...OrderStory
      viewerCan { cancel release createShipment createReturn recordPayment }
    }
  }
`,
  [OrderRow, OrderAddress, FulfillmentLines, OrderStory],
);
