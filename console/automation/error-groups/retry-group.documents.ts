import { graphql } from '#console/graph/graphql.ts';
import { Refusal } from '#console/graph/refusal.ts';

/** Retries what a group counts, as one bulk action: a group has errors of one kind. */
export const RetryRunsOfGroup = graphql(
  `
    mutation RetryRunsOfGroup($input: RetryRunsInput!) {
      retryRuns(input: $input) {
        ... on RetryRunsPayload {
          bulkAction {
            id
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);

export const ReplayDeadLettersOfGroup = graphql(
  `
    mutation ReplayDeadLettersOfGroup($input: ReplayDeadLettersInput!) {
      replayDeadLetters(input: $input) {
        ... on ReplayDeadLettersPayload {
          bulkAction {
            id
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);

export const ResendDeliveriesOfGroup = graphql(
  `
    mutation ResendDeliveriesOfGroup($input: ResendWebhookDeliveriesInput!) {
      resendWebhookDeliveries(input: $input) {
        ... on ResendWebhookDeliveriesPayload {
          bulkAction {
            id
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);
