import type { ApiBody, ApiContent } from '#src/automation/connectors/descriptions/api-description.ts';
import { isBinary, isJson, readMediaType } from '#src/automation/connectors/descriptions/media-types.ts';
import { plainText } from '#src/automation/connectors/descriptions/plain-text.ts';
import {
  isObject,
  listMember,
  objectMember,
  textMember,
  type JsonObject,
} from '#src/automation/connectors/descriptions/untrusted-json.ts';
import type { JsonSchema } from '#src/automation/node-api/manifest.ts';
import { inferSchema, parseExample } from './infer-schema.ts';

export interface RequestBody {
  body?: ApiBody;
  fixedBody?: Record<string, unknown>;
}

/** Media types of the languages that Postman offers for a raw body. */
const languages: Readonly<Record<string, string>> = {
  json: 'application/json',
  xml: 'application/xml',
  html: 'text/html',
  javascript: 'application/javascript',
};

/** Reads the body of a request. Its schema is inferred from the example. `stated` is the header Content-Type. */
export function readRequestBody(request: JsonObject, stated: string): RequestBody {
  const written = objectMember(request, 'body');
  if (written['disabled'] === true) return {};
  switch (textMember(written, 'mode')) {
    case 'raw':
      return readRaw(written, stated);
    case 'urlencoded':
      return readOwnBody('application/x-www-form-urlencoded', formSchema(listMember(written, 'urlencoded')));
    case 'formdata':
      return readOwnBody('multipart/form-data', formSchema(listMember(written, 'formdata')));
    case 'file':
      return readOwnBody(readMediaType(stated) ?? 'application/octet-stream', { type: 'string', format: 'binary' });
    case 'graphql':
      return readGraphql(objectMember(written, 'graphql'));
    default:
      return {};
  }
}

function readRaw(written: JsonObject, stated: string): RequestBody {
  const text = textMember(written, 'raw');
  if (text.trim() === '') return {};
  const language = textMember(objectMember(objectMember(written, 'options'), 'raw'), 'language');
  const byLanguage = Object.hasOwn(languages, language) ? languages[language] : undefined;
  const example = parseExample(text);
  const mediaType =
    readMediaType(stated) ??
    byLanguage ??
    (typeof example === 'object' && example !== null ? 'application/json' : 'text/plain');
  return readOwnBody(mediaType, exampleSchema(mediaType, example));
}

/** True for JSON lines: one JSON document per line is text, although the media type ends with +json. */
export const exampleSchema = (mediaType: string, example: unknown): JsonSchema => {
  if (isJson(mediaType) && example !== undefined) return inferSchema([example]);
  return isBinary(mediaType) ? { type: 'string', format: 'binary' } : { type: 'string' };
};

function readGraphql(written: JsonObject): RequestBody {
  const variables = parseExample(textMember(written, 'variables'));
  return {
    fixedBody: { query: textMember(written, 'query') },
    ...(isObject(variables) &&
      readOwnBody('application/json', { type: 'object', properties: { variables: inferSchema([variables]) } })),
  };
}

function formSchema(fields: readonly unknown[]): JsonSchema {
  const properties = fields.flatMap((field) => {
    const key = textMember(field, 'key');
    if (key === '' || key === '__proto__') return [];
    const description = plainText(fieldDescription(field), 300);
    const format = textMember(field, 'type') === 'file' ? { format: 'binary' } : {};
    return [[key, { type: 'string', ...format, ...(description !== '' && { description }) }] as const];
  });
  return { type: 'object', properties: Object.fromEntries(properties) };
}

/** Reads a text, or the `content` of an object that holds one. */
export const fieldDescription = (field: unknown): string =>
  textMember(field, 'description') || textMember(objectMember(field, 'description'), 'content');

const readOwnBody = (mediaType: string, schema: JsonSchema): { body: ApiBody } => {
  const content: ApiContent = { mediaType, schema, encoding: {} };
  return { body: { required: false, description: '', content: [content] } };
};
