import type { ApiParameter } from '#src/automation/connectors/descriptions/api-description.ts';
import { plainText } from '#src/automation/connectors/descriptions/plain-text.ts';
import { listMember, textMember, type JsonObject } from '#src/automation/connectors/descriptions/untrusted-json.ts';
import type { JsonSchema } from '#src/automation/node-api/manifest.ts';
import { fieldDescription } from './bodies.ts';
import { placeNames, places, type RequestUrl } from './request-url.ts';

/** Headers that are not parameters, because bodies, answers and credentials describe them. */
const ownHeaders = new Set(['accept', 'authorization', 'content-length', 'content-type', 'cookie', 'host']);

type Values = ReadonlyMap<string, string>;

export function readPathParameters(
  path: string,
  defaults: Values,
  { variables }: RequestUrl,
  values: Values,
): ApiParameter[] {
  return [...new Set(placeNames(path))].map((name) => {
    const example = defaults.get(name) ?? values.get(name) ?? '';
    const description = fieldDescription(variables.get(name));
    return parameter('path', name, description, { type: 'string', ...(example !== '' && { default: example }) });
  });
}

/** Reads the parameters of the query. A parameter whose value distinguishes requests of the same method and path keeps that value. */
export const readQueryParameters = (
  query: readonly JsonObject[],
  selectors: ReadonlySet<string>,
  values: Values,
): ApiParameter[] =>
  unique(query).map((written) => {
    const name = textMember(written, 'key');
    const value = readValue(written, values);
    const isSelector = selectors.has(name) && value !== '';
    const schema = { type: 'string', ...(isSelector && { const: value }), ...(value !== '' && { default: value }) };
    return { ...parameter('query', name, fieldDescription(written), schema), required: isSelector };
  });

export const readHeaderParameters = (request: JsonObject, values: Values): ApiParameter[] =>
  unique(listMember(request, 'header') as JsonObject[])
    .filter((written) => /^[\w!#$%&'*+.^`|~-]{1,200}$/.test(textMember(written, 'key')))
    .filter((written) => !ownHeaders.has(textMember(written, 'key').toLowerCase()))
    .map((written) => {
      const value = readValue(written, values);
      const schema = { type: 'string', ...(value !== '' && { default: value }) };
      return parameter('header', textMember(written, 'key'), fieldDescription(written), schema);
    });

/** Returns the value of a header by its lower-case name; empty if the request lacks it. */
export const headerValue = (request: JsonObject, name: string): string =>
  textMember(
    listMember(request, 'header').find((header) => textMember(header, 'key').toLowerCase() === name),
    'value',
  );

/** Returns a literal value, or the value of the collection's variable; empty if the collection does not set it. */
function readValue(written: JsonObject, values: Values): string {
  if (written['disabled'] === true) return '';
  const text = places(textMember(written, 'value'));
  const filled = text.replaceAll(/\{([^{}]{1,100})\}/g, (_, name: string) => values.get(name) ?? '');
  return placeNames(text).every((name) => values.get(name)) ? filled.slice(0, 1_000) : '';
}

const unique = (written: readonly JsonObject[]): JsonObject[] =>
  [
    ...new Map(
      written
        .filter((one) => /^[^\p{Cc}]{1,200}$/u.test(textMember(one, 'key')) && textMember(one, 'key') !== '__proto__')
        .toReversed()
        .map((one) => [textMember(one, 'key'), one]),
    ).values(),
  ].toReversed();

const parameter = (place: ApiParameter['in'], name: string, description: string, schema: JsonSchema): ApiParameter => ({
  name,
  in: place,
  required: place === 'path',
  description: plainText(description, 300),
  schema,
  style: place === 'query' ? 'form' : 'simple',
  explode: place === 'query',
  allowReserved: false,
  deprecated: false,
});
