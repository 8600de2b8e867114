import type { Command } from '#bin/command.ts';
import { bulkCommand } from './bulk-actions.ts';

const ofDeadLetters = (mutation: string): Command =>
  bulkCommand({
    mutation,
    list: 'deadLetters',
    select: 'databaseId workflowName reason',
    lineOf: (letter: { databaseId: number; workflowName: string; reason: string }) =>
      `${letter.databaseId}  ${letter.workflowName}  ${letter.reason}`,
  });

export const replay = ofDeadLetters('replayDeadLetters');
export const discard = ofDeadLetters('discardDeadLetters');
