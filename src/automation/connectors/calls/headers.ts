import { headerValueRule, isHeaderName, isHeaderValue } from '#src/automation/http-calls/header-text.ts';
import type { ApiCall } from '#src/automation/node-api/api-call.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { encodeText } from './percent.ts';
import { type Pair, writePairs, writeText } from './styles.ts';
import { invalid, readValue, type Values } from './values.ts';

/** Builds the headers of a call, keyed by lower-case name. A parameter replaces a header of the same name that is always sent. */
export function buildHeaders(call: ApiCall, values: Values): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(call.headers ?? {})) setHeader(headers, name, value);
  for (const parameter of call.parameters) {
    const value = parameter.in === 'header' ? readValue(values, parameter.field) : undefined;
    if (value === undefined) continue;
    const text = writeText(parameter, value);
    const sent = parameter.style === 'json' ? asciiJson(text) : text;
    if (!isHeaderValue(sent)) throw invalid(parameter.field, headerValueRule);
    setHeader(headers, parameter.name, sent);
  }
  return headers;
}

/** Sets a header. Throws a NodeError for a name or a value that would end the header or begin another one. */
export function setHeader(headers: Record<string, string>, name: string, value: string): void {
  if (!isHeaderName(name) || !isHeaderValue(value)) {
    throw new NodeError('INVALID_CONFIG', `The header ${JSON.stringify(name.slice(0, 64))} cannot be sent as it is.`);
  }
  headers[name.toLowerCase()] = value;
}

/** Replaces the characters that headers cannot carry by JSON escapes. */
const asciiJson = (text: string): string =>
  text.replaceAll(/[^\u0020-\u007e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Builds the cookies from a call's parameters. Values are encoded, because a semicolon would begin another cookie. */
export const buildCookies = (call: ApiCall, values: Values): Pair[] =>
  call.parameters.flatMap((parameter) => {
    const value = parameter.in === 'cookie' ? readValue(values, parameter.field) : undefined;
    return value === undefined ? [] : writePairs(parameter, value, { name: encodeText, value: encodeText });
  });

export function addCookies(headers: Record<string, string>, cookies: readonly Pair[]): void {
  if (cookies.length === 0) return;
  const names = new Set(cookies.map(([name]) => name));
  const before = (headers['cookie'] ?? '')
    .split(/;\s*/)
    .filter((part) => part !== '' && !names.has(part.split('=', 1)[0] ?? ''));
  setHeader(headers, 'cookie', [...before, ...cookies.map(([name, value]) => `${name}=${value}`)].join('; '));
}
