import { type CallOutputs, errorBranch, takeBranch } from '#src/automation/connectors/calls/answers.ts';
import { valueAt } from '#src/automation/http-calls/json-path.ts';
import type { Answer } from '#src/automation/http-calls/read-answer.ts';
import type { ApiCall } from '#src/automation/node-api/api-call.ts';
import type { NodeResult } from '#src/automation/node-api/builtin-node.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { type PartAnswer, readParts } from './read-parts.ts';

const maxReason = 500;

/**
 * Returns the result of a change set, whose body is the list of the writes' answers. If a write failed, the service did none of them: the
 * result takes the branch of that error if it has an edge. Throws a NodeError with the service's reason if it has none, and for a success
 * that does not answer each of the writes.
 */
export async function changeSetResult(
  call: ApiCall,
  { answer, outputs, writes }: { answer: Answer; outputs: CallOutputs; writes: number },
  hasEdge: (branch: string) => boolean,
): Promise<NodeResult> {
  if (answer.status >= 300) return { outputs, branch: takeBranch(call, answer, outputs, hasEdge) };
  const parts = await readParts(answer);
  const { host } = new URL(answer.url);
  if (parts.length === 0)
    throw new NodeError('UNREADABLE', `${host} answered ${answer.status} without the answers of the writes.`, {
      details: outputs,
    });
  const result = { ...outputs, body: parts };
  const failed = parts.find(({ status }) => status >= 400);
  if (!failed && parts.length !== writes)
    throw new NodeError(
      'UNREADABLE',
      `${host} answered ${parts.length} of ${writes} writes. It may have done all of them or none: look there before you send them again.`,
      { details: result },
    );
  if (!failed) return { outputs: result, branch: takeBranch(call, answer, result, hasEdge) };
  const branch = errorBranch(call, failed.status, hasEdge);
  if (branch !== undefined) return { outputs: result, branch };
  const reason = readReason(failed);
  throw new NodeError(
    'CHANGE_SET_FAILED',
    `${host} did none of the writes, because one was answered ${failed.status}${reason === '' ? '.' : `: ${reason}`}`,
    { retryable: failed.status === 425 || failed.status === 429, details: result },
  );
}

/** The message of an error of OData 4, or of OData 2, which puts its language beside it. */
function readReason({ body }: PartAnswer): string {
  for (const path of [
    ['error', 'message'],
    ['error', 'message', 'value'],
  ]) {
    const found = valueAt(body, path);
    if ('value' in found && typeof found.value === 'string')
      return found.value.replaceAll(/\s+/g, ' ').trim().slice(0, maxReason);
  }
  return '';
}
