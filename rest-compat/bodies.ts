import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import qs from 'qs';
import { z } from 'zod';
import { AppError, type FieldErrors } from '#src/infra/errors.ts';
import { BinaryBody } from '#src/infra/http/binary-body.ts';
import { exactNumbers } from '#src/infra/text/exact-numbers.ts';
import { utf8Text } from '#src/infra/text/utf8.ts';
import { RequestError } from './errors.ts';
import { readAll, readUpload } from './http/uploads.ts';
import { hasDecimals, parseWithDigits } from './json-digits.ts';
import { parseKnown } from './parse-known.ts';
import { componentRef } from './replies.ts';
import type { Resource } from './resource.ts';
import { snakeCase } from './snake-case.ts';
import { unknownFields } from './unknown-names.ts';

/** How a route reads the body of its request, and how OpenAPI describes it. */
export type BodyReader<Body> = (
  | {
      /** The complete body, within the limit of JSON. */
      takes: 'bytes';
      /** `resource`: the object that the request changes; its own fields may be sent back. */
      read(bytes: Buffer, contentType: string, resource?: Resource): Body;
    }
  | {
      /** The body as a stream; the reader enforces `limit` bytes: the limit of uploads, or with `within`, that of JSON. */
      takes: 'stream';
      within?: 'json';
      read(stream: Readable, contentType: string, limit: number): Promise<Body>;
    }
) & {
  /** OpenAPI's `content`, by media type. */
  content(): Record<string, { schema: object }>;
};

/**
 * Where JSON may have a number; text may look like one. Parsing 200 items with a reviver takes a twelfth of the time of resolving their
 * prices.
 */
const mayHaveNumbers = /(?:^|[:,[])\s*-?\d/;

/** Recognises a body of another kind as a whole, instead of reporting faults of each of its members. */
export type Explain = (body: unknown) => FieldErrors | undefined;

/** A JSON object, whose unknown members are refused. No body at all is `{}`, so that an action without arguments can be posted bare. */
export function json<Schema extends z.ZodType>(schema: Schema, explain?: Explain): BodyReader<z.output<Schema>> {
  const parse = hasDecimals(schema)
    ? (text: string) => (mayHaveNumbers.test(text) ? parseWithDigits(text, schema) : parsePlain(text))
    : parsePlain;
  return {
    takes: 'bytes',
    read(raw, contentType, resource) {
      const body = raw.length === 0 ? {} : parseJson(utf8Text(raw, contentType), contentType, parse);
      const explained = explain?.(body);
      if (explained) throw new RequestError(explained);
      return parseKnown(schema, body, unknownFields(schema, body, resource));
    },
    content: () => ({ 'application/json': { schema: toJsonSchema(schema) } }),
  };
}

/**
 * The body of a mutation's route: the schema that the mutation declares, its keys in snake case. Omit what the path names
 * (`putSecretInput.omit({ key: true })`) and replace types that JSON lacks (`.extend({ expiresAt: instantText })`).
 */
export function inputBody<Shape extends z.ZodRawShape>(
  input: z.ZodObject<Shape>,
  explain?: Explain,
): BodyReader<z.output<z.ZodObject<Shape>>> {
  const names = Object.keys(input.shape).map((key) => [key, snakeCase(key)] as const);
  const members = describedForRest(input.shape);
  const body = z.object(Object.fromEntries(names.map(([key, name]) => [name, members[key] as z.ZodType])));
  const inCamelCase = (parsed: Record<string, unknown>) =>
    Object.fromEntries(names.filter(([, name]) => name in parsed).map(([key, name]) => [key, parsed[name]]));
  return json(
    body.transform((parsed) => inCamelCase(parsed) as z.output<z.ZodObject<Shape>>),
    explain,
  );
}

/** Descriptions name members and values of enums in the graph's spelling; in a body they have the names of REST. */
function describedForRest(shape: z.ZodRawShape): Record<string, z.ZodType> {
  const members = Object.entries(shape) as [string, z.ZodType][];
  const restNames = new Map([
    ...members.map(([key]) => [key, snakeCase(key)] as const),
    ...members.flatMap(([, member]) => enumValues(member).map((value) => [value.toUpperCase(), value] as const)),
  ]);
  return Object.fromEntries(
    members.map(([key, member]) => {
      const text = member.description?.replaceAll(
        /`(\w+)`/g,
        (_, name: string) => `\`${restNames.get(name) ?? name}\``,
      );
      return [key, text === undefined ? member : member.describe(text)];
    }),
  );
}

function enumValues(schema: z.ZodType): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return enumValues(schema.unwrap() as z.ZodType);
  return schema instanceof z.ZodEnum ? schema.options.map(String) : [];
}

const noFields = z.object({}).nullable();

/** Reads the body of an action that takes none: nothing, `null` or `{}`. */
export function readNoBody(raw: Buffer, contentType: string): void {
  if (raw.length === 0) return;
  const body = parseJson(utf8Text(raw, contentType), contentType);
  parseKnown(noFields, body, unknownFields(noFields, body));
}

/**
 * Reads any body. JSON and URL-encoded forms are parsed, other text stays text, bytes and multipart forms become a BinaryBody, and an empty
 * body becomes null. Text must be UTF-8.
 */
export const anything: BodyReader<unknown> = {
  takes: 'bytes',
  read: readAnything,
  content: () => ({ '*/*': { schema: {} } }),
};

/** The same for bytes that a route has read itself. Throws BAD_REQUEST for malformed JSON. */
export function readAnything(raw: Buffer, contentType: string): unknown {
  if (raw.length === 0) return null;
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type === 'multipart/form-data' || (!isUtf8(raw) && !isText(type, contentType)))
    return new BinaryBody(raw, contentType);
  const text = utf8Text(raw, contentType);
  if (type === 'application/json' || type.endsWith('+json')) return parseJson(text, contentType);
  return type === 'application/x-www-form-urlencoded' ? parseForm(text) : text;
}

/** A body that the route reads on demand, so that requests can be refused before it is read. */
export const rawBody: BodyReader<() => Promise<Buffer>> = {
  takes: 'stream',
  within: 'json',
  read: async (stream, _contentType, limit) => () => readAll(stream, limit),
  content: () => ({ '*/*': { schema: {} } }),
};

/** A file: the complete body of one of `types`, or the field `field` of a multipart form. */
export const upload = (field: string, ...types: string[]): BodyReader<Buffer> => {
  const schema = { type: 'string', format: 'binary' };
  const form = { type: 'object', properties: { [field]: schema }, required: [field] };
  return {
    takes: 'stream',
    read: (stream, contentType, limit) => readUpload(stream, contentType, { field, limit }),
    content: () => ({
      'multipart/form-data': { schema: form },
      ...Object.fromEntries(types.map((type) => [type, { schema }])),
    }),
  };
};

/** OpenAPI 3.1 speaks JSON Schema 2020-12, which is what zod writes. */
export function toJsonSchema(schema: z.ZodType): object {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    // Zod omits the default if the value is also transformed, like the digits of a query into a number.
    override({ zodSchema: { _zod: zod }, jsonSchema }) {
      if (zod.def.type === 'default') jsonSchema.default = zod.def.defaultValue;
      const { tenantSchema } = jsonSchema;
      if (typeof tenantSchema !== 'string') return;
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
      jsonSchema.$ref = componentRef(tenantSchema);
    },
  });
  return rest;
}

const isText = (type: string, contentType: string): boolean =>
  /^text\/|^application\/(json|xml|x-www-form-urlencoded)$|\+(json|xml)$/.test(type) ||
  /;\s*charset\s*=/i.test(contentType);

function parseJson(text: string, contentType: string, parse = parsePlain): unknown {
  try {
    return parse(text);
  } catch {
    throw new AppError('BAD_REQUEST', `The request body is not valid JSON.${sentAs(contentType)}`);
  }
}

/** Tells clients that send a form by accident, as curl does by default, their content type. */
const sentAs = (contentType: string): string =>
  /^(application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(contentType)
    ? ' It was sent as a form: send JSON, with the header Content-Type: application/json.'
    : '';

function parsePlain(given: string): unknown {
  const text = exactNumbers(given);
  return mayNamePrototype.test(text) ? JSON.parse(text, dropPrototype) : JSON.parse(text);
}

// A reviver makes parsing several times slower, so it is used only when the text may contain the key, plain or escaped.
const mayNamePrototype = /__proto__|\\u00/;

// A key that would set a prototype when the value is copied member by member; it has no legitimate use.
function dropPrototype(key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value;
}

const formLimits = { depth: 5, parameterLimit: 1_000, arrayLimit: 1_000 };
const parseForm = (text: string): object => qs.parse(text, formLimits);
