import type { Command } from '#bin/command.ts';
import { bulkCommand } from './bulk-actions.ts';

const ofRuns = (mutation: string): Command =>
  bulkCommand({
    mutation,
    list: 'runs',
    select: 'databaseId workflowName status error',
    lineOf: (run: { databaseId: number; workflowName: string; status: string; error: string | null }) =>
      `${run.databaseId}  ${run.workflowName}  ${run.status.toLowerCase()}${run.error === null ? '' : `  ${run.error}`}`,
  });

export const retry = ofRuns('retryRuns');
export const rerun = ofRuns('rerunRuns');
export const cancel = ofRuns('cancelRuns');
