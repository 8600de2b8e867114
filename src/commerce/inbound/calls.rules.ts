import { isDeepStrictEqual } from 'node:util';
import { storableJson } from '#src/infra/json.ts';
import { exactNumbers, parseExact } from '#src/infra/text/exact-numbers.ts';

const withheld = ['authorization', 'cookie', 'proxy-authorization'];

/** The headers that a workflow sees: without credentials, and without the verifier's own. */
export const passedOn = (headers: Readonly<Record<string, unknown>>, own: readonly string[]): object =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !withheld.includes(name) && !own.includes(name)));

/** JSON text is parsed, whatever its content type; other text stays text. */
export function parseEventData(body: unknown): unknown {
  if (typeof body !== 'string') return body;
  try {
    return parseExact(body);
  } catch {
    return body;
  }
}

/** A number written with trailing zeros, which parsing would drop. */
const padded = /\.\d*0[\s,\]}]/;

/** The JSON text of an event's data: as sent if parsing would change how a number is written, so that 10.10 stays 10.10. */
export function writeEventJson(data: unknown, raw: Buffer): string {
  const text = storableJson(data, 'body');
  const sent = raw.toString('utf8');
  if (!padded.test(sent)) return text;
  try {
    const exact = exactNumbers(sent);
    // The body may not be JSON, or may have a key that was dropped when it was parsed.
    return isDeepStrictEqual(JSON.parse(exact) as unknown, data) ? exact : text;
  } catch {
    return text;
  }
}
