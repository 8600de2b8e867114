import { mutation, page, rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const OutboxFailureRow = graphql(`
  fragment OutboxFailureRow on OutboxFailure {
    id topic consumer tenantId error eventId publishedAt createdAt
    viewerCan { discard retry }
  }
`);

export const OutboxFailures = rows('outboxFailures', OutboxFailureRow);

export const OutboxFailurePage = page('node', OutboxFailureRow);

export const RetryOutboxFailure = mutation('retryOutboxFailure', 'outboxFailure { id }');

export const DiscardOutboxFailure = mutation('discardOutboxFailure', 'outboxFailure { id }');
