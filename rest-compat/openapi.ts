import type { GraphQLSchema } from 'graphql';
import { type ErrorCode, errorCodes } from '#src/infra/errors.ts';
import { jsonSchemaOf } from './bodies.ts';
import type { JsonSchema } from './replies.ts';
import { responseSchema } from './response-schema.ts';
import { isIdParam, type Method, methodsOf, paramsOf } from './route.ts';
import type { MountedRoute } from './router.ts';

const error: JsonSchema = {
  type: 'object',
  properties: { message: { type: 'string' } },
  required: ['message'],
};
const validationError: JsonSchema = {
  type: 'object',
  properties: {
    message: { type: 'string' },
    errors: {
      type: 'object',
      description: 'Messages per field, keyed by dotted path.',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    },
  },
  required: ['message'],
};

/** The REST face as OpenAPI 3.1, from the rows that serve it. */
export function openApiOf(schema: GraphQLSchema, rows: MountedRoute[]): JsonSchema {
  const schemas: Record<string, JsonSchema> = { Error: error, ValidationError: validationError };
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const row of rows) {
    const item = (paths[row.path] ??= {});
    const methods = methodsOf(row);
    for (const method of methods) {
      const operationId = methods.length === 1 ? row.name : `${row.name}With${titled(method)}`;
      item[method.toLowerCase()] = { operationId, ...operationOf(schema, row, method, schemas) };
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Causeway service API',
      version: '1.0.0',
      description: 'The same use cases as the GraphQL API at /graphql, under the names REST clients know.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/api/v1' }],
    tags: [...new Set(rows.map(({ tag }) => tag))].map((name) => ({ name })),
    paths: { ...paths, ...streamed },
    components: { schemas, securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
  };
}

const answer = (description: string, schema: JsonSchema | null): JsonSchema => ({
  description,
  ...(schema && { content: { 'application/json': { schema } } }),
});

const retryAfter = { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer', minimum: 1 } } };

const refusal = (...codes: ErrorCode[]) =>
  Object.fromEntries(
    codes.map((code) => {
      const { status, message } = errorCodes[code];
      const schema = { $ref: `#/components/schemas/${status === 422 ? 'ValidationError' : 'Error'}` };
      return [status, { ...answer(message, schema), ...(code === 'TOO_MANY_ATTEMPTS' && { headers: retryAfter }) }];
    }),
  );

/** Bytes do not pass through the graph: the API streams these itself. */
export const streamed: Record<string, Record<string, JsonSchema>> = {
  '/node-packages/images/{id}': {
    get: {
      operationId: 'getPackageImage',
      tags: ['Node Packages'],
      summary: 'An image of a node package, by the signed link that the API hands out.',
      security: [],
      parameters: [
        { name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 0 } },
        { name: 'expires', in: 'query', required: true, schema: { type: 'integer' } },
        { name: 'signature', in: 'query', required: true, schema: { type: 'string' } },
      ],
      responses: {
        200: { description: 'The image.', content: { 'image/*': { schema: { type: 'string', format: 'binary' } } } },
        ...refusal('INVALID_SIGNATURE', 'NOT_FOUND', 'INTERNAL'),
      },
    },
  },
};

const titled = (method: string): string => `${method.charAt(0)}${method.slice(1).toLowerCase()}`;

function operationOf(
  schema: GraphQLSchema,
  row: MountedRoute,
  method: Method,
  schemas: Record<string, JsonSchema>,
): JsonSchema {
  const { scope } = row.operation;
  const parameters = [
    ...paramsOf(row.path).map((name) => ({
      name,
      in: 'path',
      required: true,
      schema: isIdParam(name) ? { type: 'integer', minimum: 0 } : { type: 'string' },
    })),
    ...queryParameters(row),
    ...(scope === 'member' || scope === 'admin' ? [tenantHeader] : []),
  ];
  const body = row.reply.schema(responseSchema(schema, row.operation, schemas));
  return {
    tags: [row.tag],
    summary: row.summary,
    security: scope === null ? [] : [{ bearer: [] }],
    ...(scope !== null && { description: needed[scope] }),
    ...(parameters.length > 0 && { parameters }),
    ...(row.body && method !== 'GET' && { requestBody: requestBodyOf(row) }),
    responses: {
      [row.reply.status]: answer('Done.', body),
      ...refusals(row),
      ...Object.fromEntries(
        Object.entries(row.reply.others ?? {}).map(([status, { description, schema = body }]) => [
          status,
          answer(description, schema),
        ]),
      ),
    },
  };
}

const tenantHeader = {
  name: 'X-Tenant-Id',
  in: 'header',
  description: "The tenant the request acts in. A token's tenant claim stands in for it.",
  schema: { type: 'string' },
};

const needed = {
  authenticated: 'Needs a token.',
  tester: 'Needs a role: `user`, `admin` or `operator`.',
  member: 'Needs role `user` or `admin` in the tenant.',
  admin: 'Needs role `admin` in the tenant.',
  operator: 'Needs role `operator`.',
};

function requestBodyOf(row: MountedRoute): JsonSchema {
  const content = Object.entries(row.body?.content() ?? {}).map(([type, media]) => [
    type,
    row.example?.body === undefined ? media : { ...media, example: row.example.body },
  ]);
  return { content: Object.fromEntries(content) };
}

function queryParameters(row: MountedRoute): object[] {
  if (!row.query) return [];
  const { properties = {}, required = [] } = jsonSchemaOf(row.query) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name: schema['type'] === 'array' ? `${name}[]` : name,
    in: 'query',
    required: required.includes(name),
    schema,
    ...(schema['type'] === 'array' && { style: 'form', explode: true }),
  }));
}

/** What may refuse a row, told by its shape. */
function refusals(row: MountedRoute): Record<string, object> {
  const { scope } = row.operation;
  const codes: ErrorCode[] = [
    ...(scope === null ? [] : (['UNAUTHENTICATED', 'TOO_MANY_ATTEMPTS', 'UNAVAILABLE'] as const)),
    ...(scope === null || scope === 'authenticated' ? [] : (['FORBIDDEN'] as const)),
    ...(row.path.includes('{') ? (['NOT_FOUND'] as const) : []),
    ...(row.body ? (['BAD_REQUEST', 'PAYLOAD_TOO_LARGE'] as const) : []),
    ...(row.body || row.query ? (['VALIDATION_FAILED'] as const) : []),
    ...(row.refuses ?? []),
    'INTERNAL',
  ];
  return refusal(...codes);
}
