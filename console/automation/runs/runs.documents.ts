import { changes, mutation, rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const RunRow = graphql(`
  fragment RunRow on Run {
    id databaseId status isTest workflowName triggerType
    startedBy { kind name }
    createdAt durationMs error
    viewerCan { retry rerun cancel resume }
  }
`);

export const Runs = rows('runs', RunRow);

export const RunsFollowed = changes('runsUpdated', RunRow);

export const RetryRun = mutation('retryRun', 'run { ...RunRow } warning', [RunRow]);

export const RerunRun = mutation('rerunRun', 'run { id }');

export const CancelRun = mutation('cancelRun', 'run { ...RunRow }', [RunRow]);

export const RetryRuns = mutation('retryRuns', 'count bulkAction { id } runs { id databaseId workflowName error }');

export const RerunRuns = mutation('rerunRuns', 'count bulkAction { id } runs { id databaseId workflowName status }');

export const CancelRuns = mutation('cancelRuns', 'count bulkAction { id } runs { id databaseId workflowName status }');
