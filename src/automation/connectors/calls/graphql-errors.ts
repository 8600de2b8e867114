import type { ApiCall } from '#src/automation/node-api/api-call.ts';

export interface GraphqlRefusal {
  /** The first messages of the server. */
  reason: string;
  /** True if the server limits the rate or the cost of queries and did not act on this one. */
  isThrottled: boolean;
}

const maxErrors = 3;
const maxReason = 500;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Reads the errors of a GraphQL answer without data; undefined for other answers. GraphQL servers send these errors with status 200. An answer
 * that has errors beside data is a success.
 */
export function readGraphqlRefusal({ fixed_body: sent }: ApiCall, body: unknown): GraphqlRefusal | undefined {
  if (typeof sent?.['query'] !== 'string' || !isObject(body)) return undefined;
  const { data, errors } = body;
  const hasData = isObject(data) && Object.values(data).some((value) => value !== null);
  if (hasData || !Array.isArray(errors) || errors.length === 0) return undefined;
  const known = errors.slice(0, maxErrors).filter(isObject);
  const messages = known.flatMap(({ message }) => (typeof message === 'string' && message !== '' ? [message] : []));
  return {
    reason: messages.join('; ').replaceAll(/\s+/g, ' ').trim().slice(0, maxReason),
    isThrottled: known.some(({ extensions }) => isObject(extensions) && extensions['code'] === 'THROTTLED'),
  };
}
