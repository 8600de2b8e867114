import { isRetryableStatus } from '#src/automation/http-calls/failures.ts';
import { type Answer, contentType } from '#src/automation/http-calls/read-answer.ts';
import type { ApiCall } from '#src/automation/node-api/api-call.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { readGraphqlRefusal } from './graphql-errors.ts';

export interface CallOutputs extends Record<string, unknown> {
  status: number;
  body: unknown;
}

const isSuccess = (status: number | string): boolean => /^[23]/.test(String(status));

/** Finds the branch of the described answer that matches a status most exactly: 404 before 4XX before default. */
function describedBranch({ answers }: ApiCall, status: number): string | undefined {
  const find = (wanted: string) => answers.find((answer) => answer.status.toLowerCase() === wanted)?.branch;
  return find(String(status)) ?? find(`${String(status).charAt(0)}xx`) ?? find('default');
}

/**
 * Finds the branch of a success. If the description does not name the status (201, when it names only 200), the branch of the named success
 * is used, because `default` then describes errors.
 */
export function successBranch(call: ApiCall, status: number): string {
  const named = call.answers.filter((answer) => isSuccess(answer.status));
  const exact = describedBranch({ ...call, answers: named }, status);
  return exact ?? named[0]?.branch ?? describedBranch(call, status) ?? 'default';
}

/**
 * Finds the branch of an error that the workflow handles; undefined if the workflow does not handle it, or if successes share its branch.
 */
export function errorBranch(call: ApiCall, status: number, hasEdge: (branch: string) => boolean): string | undefined {
  const branch = describedBranch(call, status);
  if (branch === undefined || !hasEdge(branch) || branch === successBranch(call, 200)) return undefined;
  return call.answers.some((answer) => isSuccess(answer.status) && answer.branch === branch) ? undefined : branch;
}

/** True if a server acts only once on a request that it receives twice. */
export const isRepeatable = ({ method, idempotency_header: header }: ApiCall): boolean =>
  header !== undefined || ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'].includes(method.toUpperCase());

/** True for statuses by which a server says that it has not acted on the request. */
const isRefused = (status: number): boolean => status === 425 || status === 429;

/** Chooses the branch along which the workflow continues after an answer. Throws a NodeError for an answer that fails the step. */
export function takeBranch(
  call: ApiCall,
  answer: Answer,
  outputs: CallOutputs,
  hasEdge: (branch: string) => boolean,
): string {
  const { status } = answer;
  const refusal = readGraphqlRefusal(call, outputs.body);
  if (status < 400 && !refusal) return successBranch(call, status);
  const isTransient = isRetryableStatus(status) || refusal?.isThrottled === true;
  const branch = isTransient ? undefined : errorBranch(call, Math.max(status, 400), hasEdge);
  if (branch !== undefined) return branch;
  // The path is that of the description. The path and the query of the request may hold secrets.
  const said = `${call.method.toUpperCase()} ${describeTarget(call, answer)} answered ${status < 400 ? 'with errors' : status}`;
  const problem = readProblem(answer, outputs.body) ?? refusal?.reason;
  throw new NodeError(status < 400 ? 'GRAPHQL_ERRORS' : 'HTTP_STATUS', problem ? `${said}: ${problem}` : `${said}.`, {
    retryable: isTransient && (isRepeatable(call) || isRefused(status) || refusal?.isThrottled === true),
    details: outputs,
  });
}

const describeTarget = ({ path }: ApiCall, { url }: Answer): string =>
  path === '' ? new URL(url).host : `${path} at ${new URL(url).host}`;

const maxProblem = 500;

/** Reads the title and the detail of an error answer in problem+json (RFC 9457). */
function readProblem(answer: Answer, body: unknown): string | undefined {
  if (!/^application\/problem\+json\b/i.test(contentType(answer)) || typeof body !== 'object' || body === null)
    return undefined;
  const { title, detail } = body as { title?: unknown; detail?: unknown };
  const texts = [title, detail].filter((text): text is string => typeof text === 'string' && text !== '');
  return texts.length === 0 ? undefined : texts.join(': ').slice(0, maxProblem);
}
