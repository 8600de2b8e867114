import { mutation } from '#console/graph/documents.ts';

/** Retries what a group counts, as one bulk action: a group has errors of one kind. */
export const RetryRunsOfGroup = mutation('retryRuns', 'bulkAction { id }');

export const ReplayDeadLettersOfGroup = mutation('replayDeadLetters', 'bulkAction { id }');

export const ResendDeliveriesOfGroup = mutation('resendWebhookDeliveries', 'bulkAction { id }');
