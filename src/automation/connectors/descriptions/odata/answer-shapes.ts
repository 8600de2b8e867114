import type { ApiAnswer } from '#src/automation/connectors/descriptions/api-description.ts';
import type { JsonSchema } from '#src/automation/node-api/manifest.ts';

const mediaType = 'application/json';

const error: JsonSchema = {
  type: 'object',
  properties: { error: { type: 'object', properties: { code: { type: 'string' }, message: {} } } },
};

const answer = (status: string, schema?: JsonSchema): ApiAnswer => ({
  status,
  description: '',
  content: schema === undefined ? [] : [{ mediaType, schema, encoding: {} }],
  headers: status === '200' || status === '201' ? ['etag'] : [],
});

/** Returns an answer with this status and body, and the protocol's error answer for all other statuses. */
export const answers = (status: string, schema?: JsonSchema): ApiAnswer[] => [
  answer(status, schema),
  answer('default', error),
];

/** The schema of a list as the protocol wraps it, with the link to its next page. */
export const listShape = (item: JsonSchema, isV2: boolean): JsonSchema =>
  isV2
    ? object({
        d: object({ results: { type: 'array', items: item }, __next: { type: 'string' }, __count: { type: 'string' } }),
      })
    : object({
        value: { type: 'array', items: item },
        '@odata.nextLink': { type: 'string' },
        '@odata.count': { type: 'integer' },
      });

export const itemShape = (item: JsonSchema, isV2: boolean): JsonSchema => (isV2 ? object({ d: item }) : item);

const object = (properties: Record<string, JsonSchema>): JsonSchema => ({ type: 'object', properties });

export const jsonBody = (schema: JsonSchema) => ({
  required: true,
  description: '',
  content: [{ mediaType, schema, encoding: {} }],
});
