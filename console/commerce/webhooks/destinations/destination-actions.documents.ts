import { graphql } from '#console/graph/graphql.ts';
import { Refusal } from '#console/graph/refusal.ts';
import { DestinationRow } from './destinations.documents.ts';

export const CreateDestination = graphql(
  `
    mutation CreateDestination($input: CreateWebhookDestinationInput!) {
      createWebhookDestination(input: $input) {
        ... on CreateWebhookDestinationPayload {
          webhookDestination {
            id
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);

export const UpdateDestination = graphql(
  `
    mutation UpdateDestination($input: UpdateWebhookDestinationInput!) {
      updateWebhookDestination(input: $input) {
        ... on UpdateWebhookDestinationPayload {
          webhookDestination {
            ...DestinationRow
          }
        }
        ...Refusal
      }
    }
  `,
  [DestinationRow, Refusal],
);

export const EnableDestination = graphql(
  `
    mutation EnableDestination($input: EnableWebhookDestinationInput!) {
      enableWebhookDestination(input: $input) {
        ... on EnableWebhookDestinationPayload {
          webhookDestination {
            ...DestinationRow
          }
        }
        ...Refusal
      }
    }
  `,
  [DestinationRow, Refusal],
);

export const DisableDestination = graphql(
  `
    mutation DisableDestination($input: DisableWebhookDestinationInput!) {
      disableWebhookDestination(input: $input) {
        ... on DisableWebhookDestinationPayload {
          webhookDestination {
            ...DestinationRow
          }
        }
        ...Refusal
      }
    }
  `,
  [DestinationRow, Refusal],
);

export const RotateDestinationSecret = graphql(
  `
    mutation RotateDestinationSecret($input: RotateWebhookSecretInput!) {
      rotateWebhookSecret(input: $input) {
        ... on RotateWebhookSecretPayload {
          secret
          webhookDestination {
            ...DestinationRow
          }
        }
        ...Refusal
      }
    }
  `,
  [DestinationRow, Refusal],
);

export const PingDestination = graphql(
  `
    mutation PingDestination($input: PingWebhookDestinationInput!) {
      pingWebhookDestination(input: $input) {
        ... on PingWebhookDestinationPayload {
          webhookDelivery {
            id
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);

export const RecoverDestination = graphql(
  `
    mutation RecoverDestination($input: RecoverWebhookDestinationInput!) {
      recoverWebhookDestination(input: $input) {
        ... on RecoverWebhookDestinationPayload {
          queued
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);

export const DeleteDestination = graphql(
  `
    mutation DeleteDestination($input: DeleteWebhookDestinationInput!) {
      deleteWebhookDestination(input: $input) {
        ... on DeleteWebhookDestinationPayload {
          deletedId
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);
