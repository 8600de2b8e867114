import { textMember } from '#src/automation/connectors/descriptions/untrusted-json.ts';
import type { RequestUrl } from './request-url.ts';

interface Request {
  method: string;
  path: string;
  url: RequestUrl;
}

/**
 * Finds, for each request, the query parameters that select what is called (`?Action=GetOrders`). All requests of the same method and path
 * have such a parameter, with literal values of which at least two differ.
 */
export function findSelectors(requests: readonly Request[]): Set<string>[] {
  const groups = Map.groupBy(requests, ({ method, path, url }) => JSON.stringify([method, url.server, path]));
  const byGroup = new Map<Request, Set<string>>();
  for (const group of groups.values()) {
    const literals = group.map(literalQuery);
    const [first = new Map<string, string>()] = literals;
    const names = [...first.keys()].filter(
      (name) =>
        literals.every((query) => query.has(name)) && new Set(literals.map((query) => query.get(name))).size > 1,
    );
    for (const request of group) byGroup.set(request, new Set(names));
  }
  return requests.map((request) => byGroup.get(request) ?? new Set());
}

const literalQuery = ({ url }: Request): Map<string, string> =>
  new Map(
    url.query
      .map((pair) => [textMember(pair, 'key'), textMember(pair, 'value')] as const)
      .filter(([, value]) => value !== '' && !value.includes('{{')),
  );
