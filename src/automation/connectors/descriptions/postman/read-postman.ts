import type {
  ApiAnswer,
  ApiDescription,
  ApiOperation,
  SecurityScheme,
} from '#src/automation/connectors/descriptions/api-description.ts';
import {
  assertOperationCount,
  type DescriptionSource,
} from '#src/automation/connectors/descriptions/description-source.ts';
import { readMediaType } from '#src/automation/connectors/descriptions/media-types.ts';
import { readMethod } from '#src/automation/connectors/descriptions/methods.ts';
import { kebab, nameOperations } from '#src/automation/connectors/descriptions/names.ts';
import { plainSentences, plainText } from '#src/automation/connectors/descriptions/plain-text.ts';
import { orReason, Unsupported } from '#src/automation/connectors/descriptions/unsupported.ts';
import {
  isObject,
  listMember,
  member,
  objectMember,
  textMember,
  type JsonObject,
} from '#src/automation/connectors/descriptions/untrusted-json.ts';
import { readAuth } from './auth.ts';
import { exampleSchema, fieldDescription, readRequestBody } from './bodies.ts';
import { templatePaths, type TemplatePath } from './example-segments.ts';
import { parseExample } from './infer-schema.ts';
import { listRequests, type WrittenRequest } from './list-requests.ts';
import { headerValue, readHeaderParameters, readPathParameters, readQueryParameters } from './parameters.ts';
import { readUrl, findServer, type RequestUrl } from './request-url.ts';
import { findSelectors } from './selectors.ts';

/** A request with the parts that are read before its operation is built. */
interface PostmanRequest extends WrittenRequest, TemplatePath {
  method: string;
  fault?: string;
  url: RequestUrl;
}

/** Reads Postman collections 2.0 and 2.1. Schemas are inferred from the examples. Scripts are not run. */
export function readPostman(collection: JsonObject, { hash }: DescriptionSource): ApiDescription {
  const requests = listPostmanRequests(collection);
  const values = new Map(
    listMember(collection, 'variable').map((variable) => [
      textMember(variable, 'key') || textMember(variable, 'id'),
      textMember(variable, 'value'),
    ]),
  );
  const server = findCommonest(requests.map(({ url }) => url.server));
  const selectors = findSelectors(requests);
  const names = nameOperations(
    requests.map(({ name, folders, method, path }) => ({
      id: withVerb(name, method),
      method,
      path,
      more: JSON.stringify(folders),
    })),
  );

  const security: Record<string, SecurityScheme> = {};
  const operations: ApiOperation[] = [];
  const skipped: ApiDescription['skipped'] = [];
  const seen = new Set<string>();
  for (const [index, request] of requests.entries()) {
    const name = names[index] ?? '';
    const read = orReason(() => {
      if (request.fault !== undefined) throw new Unsupported(request.fault);
      if (seen.has(name)) throw new Unsupported('Another request of its folder has the same name, method and path.');
      return readOperation(request, name, { server, values, selectors: selectors[index] ?? new Set() });
    });
    seen.add(name);
    if ('reason' in read) {
      skipped.push({ operation: plainText([...request.folders, request.name].join(' / '), 200), reason: read.reason });
      continue;
    }
    if (read.value.scheme !== undefined) security[read.value.scheme[0]] = read.value.scheme[1];
    operations.push(read.value.operation);
  }
  const info = objectMember(collection, 'info');
  return {
    kind: 'postman',
    title: plainText(textMember(info, 'name'), 80),
    version: plainText(textMember(info, 'version'), 40),
    hash,
    servers: server === '' ? [] : [findServer(server, values)],
    security,
    operations,
    definitions: {},
    skipped,
  };
}

function listPostmanRequests(collection: JsonObject): PostmanRequest[] {
  const written = listRequests(collection);
  assertOperationCount(written.length);
  const urls = written.map(({ request }) => readUrl(member(request, 'url')));
  const paths = templatePaths(urls);
  return written.map((one, index) => ({
    ...one,
    ...readMethod(textMember(one.request, 'method') || 'GET'),
    url: urls[index] ?? readUrl(''),
    path: paths[index]?.path ?? '',
    defaults: paths[index]?.defaults ?? new Map<string, string>(),
  }));
}

interface CollectionParts {
  server: string;
  values: ReadonlyMap<string, string>;
  selectors: ReadonlySet<string>;
}

function readOperation(
  one: PostmanRequest,
  name: string,
  { server, values, selectors }: CollectionParts,
): { operation: ApiOperation; scheme?: [name: string, scheme: SecurityScheme] } {
  const { request, method, path, url, folders } = one;
  const auth = readAuth(one.auth, headerValue(request, 'authorization'));
  return {
    ...(auth.name !== undefined && auth.scheme !== undefined && { scheme: [auth.name, auth.scheme] }),
    operation: {
      name,
      title: plainText(withVerb(one.name, method) || `${method} ${path}`, 80),
      summary: plainSentences(fieldDescription(request), 200),
      tags: folders.slice(0, 1).map((folder) => plainText(folder, 64)),
      deprecated: false,
      method,
      path,
      ...(url.server !== server && url.server !== '' && { servers: [findServer(url.server, values)] }),
      parameters: [
        ...readPathParameters(path, one.defaults, url, values),
        ...readQueryParameters(url.query, selectors, values),
        ...readHeaderParameters(request, values),
      ],
      ...readRequestBody(request, headerValue(request, 'content-type')),
      answers: readSavedAnswers(one.responses),
      security: auth.name === undefined ? [] : [[auth.name]],
    },
  };
}

const verbs = new Set(
  'ack add cancel check confirm create delete download export fetch find get import list post put read remove search send set update upload'.split(
    ' ',
  ),
);

/** Returns the name of a request, with its method if the name does not say what the request does. */
function withVerb(name: string, method: string): string {
  const [first = ''] = kebab(name).split('-', 1);
  return name.trim() === '' || verbs.has(first) ? name : `${method} ${name}`;
}

function readSavedAnswers(responses: readonly unknown[]): ApiAnswer[] {
  const answers = new Map<string, ApiAnswer>();
  for (const response of responses.slice(0, 100).filter(isObject)) {
    const status = textMember(response, 'code');
    if (!/^[1-5]\d\d$/.test(status) || answers.has(status)) continue;
    const body = textMember(response, 'body');
    const mediaType = readMediaType(headerValue(response, 'content-type')) ?? 'application/json';
    const schema = exampleSchema(mediaType, parseExample(body));
    answers.set(status, {
      status,
      description: plainText(textMember(response, 'name'), 200),
      content: body === '' ? [] : [{ mediaType, schema, encoding: {} }],
      headers: [],
    });
  }
  return [...answers.values()];
}

/** Returns the most frequent value; of several, the first. */
function findCommonest(texts: readonly string[]): string {
  const counts = Map.groupBy(texts, (text) => text);
  let [best = ''] = texts;
  for (const [text, { length }] of counts) if (text !== '' && length > (counts.get(best)?.length ?? 0)) best = text;
  return best;
}
