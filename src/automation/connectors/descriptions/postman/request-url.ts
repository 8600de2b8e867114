import type { ApiServer } from '#src/automation/connectors/descriptions/api-description.ts';
import {
  isObject,
  listMember,
  textMember,
  type JsonObject,
} from '#src/automation/connectors/descriptions/untrusted-json.ts';

export interface RequestUrl {
  /** The server: `{url}` for `{{url}}/orders`. */
  server: string;
  /** Path segments, each as it is sent or as a placeholder `{id}`. */
  segments: string[];
  query: JsonObject[];
  /** The request's notes on its path variables, keyed by name. */
  variables: Map<string, JsonObject>;
}

const maxSegments = 50;

/** Splits the URL of a request, which is text or an object. Variables become `{name}`. */
export function readUrl(written: unknown): RequestUrl {
  const text = (typeof written === 'string' ? written : textMember(written, 'raw') || assembled(written)).slice(
    0,
    4_000,
  );
  const [, scheme = '', rest = ''] = /^([^/?#:]*:\/\/)?(.*)$/s.exec(text.trim()) ?? [];
  const hostEnd = rest.search(/[/?#]/);
  const host = hostEnd < 0 ? rest : rest.slice(0, hostEnd);
  const [path = ''] = (hostEnd < 0 ? '' : rest.slice(hostEnd)).split(/[?#]/, 1);
  const query = listMember(written, 'query').filter(isObject);
  const variables = listMember(written, 'variable').filter(isObject);
  return {
    server: places(host === '' || scheme !== '' || host.startsWith('{{') ? scheme + host : `http://${host}`),
    segments: path
      .split('/')
      .filter((segment) => segment !== '')
      .slice(0, maxSegments)
      .map((segment) => places(segment.replace(/^:(?=.)([\w.-]+)$/, '{{$1}}'))),
    query: query.length > 0 ? query : readQuery(text),
    variables: new Map(
      variables.map((variable) => [textMember(variable, 'key') || textMember(variable, 'id'), variable]),
    ),
  };
}

/** Turns Postman's `{{name}}` into `{name}`. */
export const places = (text: string): string => text.replaceAll(/\{\{\s*([^{}]{1,100}?)\s*\}\}/g, '{$1}');

export const placeNames = (text: string): string[] =>
  [...text.matchAll(/\{([^{}]{1,100})\}/g)].map(([, name]) => name ?? '').filter((name) => name !== '__proto__');

export const findServer = (url: string, values: ReadonlyMap<string, string>): ApiServer => ({
  url,
  variables: Object.fromEntries(
    placeNames(url).map((name) => [name, { default: values.get(name) ?? '', options: [] }]),
  ),
});

function assembled(written: unknown): string {
  if (!isObject(written)) return '';
  const joined = (key: string, separator: string): string =>
    Array.isArray(written[key])
      ? listMember(written, key)
          .map((part) => (typeof part === 'string' ? part : textMember(part, 'value')))
          .join(separator)
      : textMember(written, key);
  const scheme = textMember(written, 'protocol');
  const port = textMember(written, 'port');
  const path = joined('path', '/');
  return `${scheme === '' ? '' : `${scheme}://`}${joined('host', '.')}${port === '' ? '' : `:${port}`}${path === '' ? '' : `/${path.replace(/^\//, '')}`}`;
}

function readQuery(text: string): JsonObject[] {
  const at = text.indexOf('?');
  if (at < 0) return [];
  const [query = ''] = text.slice(at + 1).split('#', 1);
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [key = '', value = ''] = pair.split(/=(.*)/s);
      return { key, value };
    });
}
