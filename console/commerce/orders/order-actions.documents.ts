import { graphql } from '#console/graph/graphql.ts';
import { Refusal } from '#console/graph/refusal.ts';
import { OrderRow } from './orders.documents.ts';

export const CancelOrder = graphql(
  `
    mutation CancelOrder($input: CancelOrderInput!) {
      cancelOrder(input: $input) {
        ... on CancelOrderPayload {
          order {
            ...OrderRow
          }
        }
        ...Refusal
      }
    }
  `,
  [OrderRow, Refusal],
);

export const ReleaseOrder = graphql(
  `
    mutation ReleaseOrder($input: ReleaseOrderInput!) {
      releaseOrder(input: $input) {
        ... on ReleaseOrderPayload {
          order {
            ...OrderRow
          }
        }
        ...Refusal
      }
    }
  `,
  [OrderRow, Refusal],
);

export const CreateShipment = graphql(
  `
    mutation CreateShipment($input: CreateShipmentInput!) {
      createShipment(input: $input) {
        ... on CreateShipmentPayload {
          shipment {
            id
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);

export const CreateReturn = graphql(
  `
    mutation CreateReturn($input: CreateReturnInput!) {
      createReturn(input: $input) {
        ... on CreateReturnPayload {
          return {
            id
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);

export const RecordPayment = graphql(
  `
    mutation RecordPayment($input: RecordPaymentInput!) {
      recordPayment(input: $input) {
        ... on RecordPaymentPayload {
          payment {
            id
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);

export const CreateOrder = graphql(
  `
    mutation CreateOrder($input: CreateOrderInput!) {
      createOrder(input: $input) {
        ... on CreateOrderPayload {
          order {
            id
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);
