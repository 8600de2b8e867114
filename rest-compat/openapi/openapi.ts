import type { GraphQLSchema } from 'graphql';
import type { z } from 'zod';
import { toJsonSchema } from '#rest/bodies.ts';
import type { MountedBytes, MountedDocument, MountedRoute } from '#rest/compile.ts';
import { type JsonSchema, objectSchema } from '#rest/replies.ts';
import type { Credentials, RestApi, TenantHeader } from '#rest/rest-api.ts';
import { isIdParam, type Method, listMethods, pathParams, type Tag } from '#rest/route.ts';
import { type ErrorCode, errorCodes } from '#src/infra/errors.ts';
import type { TenantSchemas } from '#src/infra/tenant-schemas.ts';
import { responseSchema } from './response-schema.ts';

/** A kind of event that is sent as a webhook. */
export interface DescribedTopic {
  name: string;
  when: string;
  data: z.ZodType;
}

/** The input of an OpenAPI description. */
export interface Described {
  schema: GraphQLSchema;
  api: RestApi;
  rows: MountedRoute[];
  topics: readonly DescribedTopic[];
}

/** A REST API as OpenAPI 3.1, from the routes that serve it, with the schemas that a tenant defines. */
export function buildOpenApi({ schema, api, rows, topics }: Described, tenantSchemas: TenantSchemas = {}): JsonSchema {
  const { schema: Error, validationSchema: ValidationError } = api.errors;
  const schemas: Record<string, JsonSchema> = { Error, ValidationError };
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const row of rows) {
    const item = (paths[row.path] ??= {});
    const methods = listMethods(row);
    for (const method of methods) {
      const operationId = methods.length === 1 ? row.name : `${row.name}With${titled(method)}`;
      item[method.toLowerCase()] = {
        operationId,
        ...describeOperation(schema, api, row, method, { schemas, tenantSchemas }),
      };
    }
  }
  const webhooks = api.openApi?.webhooks ? Object.fromEntries(topics.map(describeWebhook)) : undefined;
  // A schema that the tenant does not define allows any object.
  for (const [, name] of JSON.stringify([paths, schemas, webhooks]).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    schemas[name as string] ??= tenantSchemas[name as string] ?? { type: 'object' };
  }
  const tags = [...rows.map(({ tag }) => tag), ...(webhooks ? [webhookTag] : [])];
  return {
    openapi: '3.1.0',
    info: api.openApi?.info,
    servers: [{ url: api.mounts[0].prefix }],
    tags: [...new Map(tags.map((tag) => [tag.name, tag])).values()],
    paths,
    ...(webhooks && { webhooks }),
    components: { schemas, securitySchemes: { ...api.credentials?.schemes, ...api.credentials?.otherSchemes } },
  };
}

const webhookTag: Tag = { name: 'Webhooks', description: 'Events as they are sent to destinations, by topic.' };

/** An event in the format that a receiver gets. */
function describeWebhook({ name, when, data }: DescribedTopic): [string, JsonSchema] {
  const envelope = objectSchema({
    tenant_id: { type: 'string' },
    topic: { type: 'string', const: name },
    id: { type: 'string', description: 'The same with each attempt to send it.' },
    data: toJsonSchema(data),
    metadata: { type: 'object' },
    time: { type: 'string', format: 'date-time' },
  });
  const post = {
    operationId: `on ${name}`.replaceAll(/\W+(\w)/g, (_, letter: string) => letter.toUpperCase()),
    tags: [webhookTag.name],
    summary: `Sent ${when}.`,
    security: [],
    requestBody: { content: { 'application/json': { schema: envelope } } },
    responses: { '2XX': { description: 'Received; anything else has it sent again.' } },
  };
  return [name, { post }];
}

const answer = (description: string, schema: JsonSchema | null): JsonSchema => ({
  description,
  ...(schema && { content: { 'application/json': { schema } } }),
});

const retryAfter = { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer', minimum: 1 } } };

const mayBeRepeated = new Set<ErrorCode>(['TOO_MANY_ATTEMPTS', 'UNAVAILABLE']);

const refusal = (...codes: ErrorCode[]) =>
  Object.fromEntries(
    codes.map((code) => {
      const { status, message } = errorCodes[code];
      const schema = { $ref: `#/components/schemas/${status === 422 ? 'ValidationError' : 'Error'}` };
      return [status, { ...answer(message, schema), ...(mayBeRepeated.has(code) && { headers: retryAfter }) }];
    }),
  );

const titled = (method: string): string => `${method.charAt(0)}${method.slice(1).toLowerCase()}`;

function describeOperation(
  schema: GraphQLSchema,
  api: RestApi,
  row: MountedRoute,
  method: Method,
  { schemas, tenantSchemas }: { schemas: Record<string, JsonSchema>; tenantSchemas: TenantSchemas },
): JsonSchema {
  const { scope, link } = row.access;
  const { credentials, tenantHeader } = api;
  const parameters = [
    ...pathParams(row.path).map((name) => ({
      name,
      in: 'path',
      required: true,
      schema: isIdParam(name) ? { type: 'integer', minimum: 0 } : { type: 'string' },
    })),
    ...queryParameters(row, tenantSchemas),
    ...(link ? linkParameters : []),
    ...(scope !== null && tenantHeader?.goesWith(scope) ? [headerParameter(tenantHeader)] : []),
  ];
  return {
    tags: [row.tag.name],
    summary: row.summary,
    security: scope === null || !credentials ? [] : [...ways(credentials), ...('signatureAuth' in row ? [{}] : [])],
    ...(scope !== null && credentials && { description: credentials.describe(scope) }),
    ...(parameters.length > 0 && { parameters }),
    ...(row.body && method !== 'GET' && { requestBody: describeRequestBody(row) }),
    responses: 'operation' in row ? documentResponses(schema, row, schemas) : byteResponses(row),
  };
}

function documentResponses(schema: GraphQLSchema, row: MountedDocument, schemas: Record<string, JsonSchema>): object {
  const body = row.reply.schema(responseSchema(schema, row.operation, schemas));
  const others = Object.entries(row.reply.others ?? {});
  return {
    [row.reply.status]: answer('Done.', body),
    ...refusals(row),
    ...Object.fromEntries(
      others.map(([status, { description, schema: other = body }]) => [status, answer(description, other)]),
    ),
  };
}

const byteResponses = (row: MountedBytes): object => {
  const { status, ...answered } = row.answers;
  return { [status]: answered, ...refusals(row) };
};

const ways = ({ schemes, otherSchemes }: Credentials): object[] =>
  [schemes, otherSchemes]
    .filter((all) => all !== undefined)
    .map((all) => Object.fromEntries(Object.keys(all).map((name) => [name, []])));

const headerParameter = ({ name, description }: TenantHeader): object => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
});

const linkParameters = [
  { name: 'expires', in: 'query', required: true, schema: { type: 'integer' } },
  { name: 'signature', in: 'query', required: true, schema: { type: 'string' } },
];

function describeRequestBody(row: MountedRoute): JsonSchema {
  const content = Object.entries(row.body?.content() ?? {}).map(([type, media]) => [
    type,
    row.example?.body === undefined ? media : { ...media, example: row.example.body },
  ]);
  return { content: Object.fromEntries(content) };
}

function queryParameters(row: MountedRoute, tenantSchemas: TenantSchemas): object[] {
  if (!row.query) return [];
  const {
    properties = {},
    required = [],
    additionalProperties: { membersFrom, under } = {},
  } = toJsonSchema(row.query) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
    additionalProperties?: { membersFrom?: string; under?: string };
  };
  const members = tenantSchemas[membersFrom ?? '']?.['properties'] ?? {};
  return [
    ...declaredParameters(properties, required),
    ...Object.entries(members).map(([name, schema]) => ({
      name: `${under}${name}`,
      in: 'query',
      schema: schema as object,
    })),
  ];
}

function declaredParameters(properties: Record<string, JsonSchema>, required: string[]): object[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name: schema['type'] === 'array' ? `${name}[]` : name,
    in: 'query',
    required: required.includes(name),
    schema,
    ...(schema['type'] === 'array' && { style: 'form', explode: true }),
  }));
}

/** The errors that a row can return, derived from its shape. */
function refusals(row: MountedRoute): Record<string, object> {
  const { scope, link } = row.access;
  const codes: ErrorCode[] = [
    ...(link ? (['INVALID_SIGNATURE'] as const) : []),
    ...(scope === null ? [] : (['UNAUTHENTICATED', 'TOO_MANY_ATTEMPTS', 'UNAVAILABLE'] as const)),
    ...(scope === null || scope === 'authenticated' ? [] : (['FORBIDDEN'] as const)),
    ...(row.path.includes('{') ? (['NOT_FOUND'] as const) : []),
    ...(row.body ? (['BAD_REQUEST', 'PAYLOAD_TOO_LARGE'] as const) : []),
    // Every row refuses parameters that it does not know.
    'VALIDATION_FAILED',
    ...(row.refuses ?? []),
    'INTERNAL',
  ];
  return refusal(...codes);
}
