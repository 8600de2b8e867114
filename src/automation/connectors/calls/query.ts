import type { ApiCall } from '#src/automation/node-api/api-call.ts';
import { encodeName, encodeQuery, encodeText } from './percent.ts';
import { type Pair, writePairs } from './styles.ts';
import { readValue, type Values } from './values.ts';

/** Builds the encoded pairs of a call's query. */
export const buildQuery = (call: ApiCall, values: Values): Pair[] =>
  call.parameters.flatMap((parameter) => {
    const value = parameter.in === 'query' ? readValue(values, parameter.field) : undefined;
    if (value === undefined) return [];
    const encode = parameter.allow_reserved === true ? encodeQuery : encodeText;
    return writePairs(parameter, value, { name: encodeName, value: encode });
  });

/** Puts encoded pairs into the query of a URL, where they replace pairs of the same names. The rest of the URL stays unchanged. */
export function withQuery(url: string, pairs: readonly Pair[]): string {
  if (pairs.length === 0) return url;
  const [address = ''] = url.split(/[?#]/, 1);
  const names = new Set(pairs.map(([name]) => decoded(name)));
  const before = (/\?([^#]*)/.exec(url)?.[1] ?? '')
    .split('&')
    .filter((part) => part !== '' && !names.has(decoded(part.split('=', 1)[0] ?? '')));
  return `${address}?${[...before, ...pairs.map(([name, value]) => `${name}=${value}`)].join('&')}`;
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    return name;
  }
}
