import type { JsonSchema } from '#src/automation/node-api/manifest.ts';
import type { Draft } from './set-operations.ts';

/** The most writes of one change set. */
const maxWrites = 500;

const writes = (isV2: boolean): JsonSchema => ({
  type: 'array',
  minItems: 1,
  maxItems: maxWrites,
  items: {
    type: 'object',
    required: ['method', 'path'],
    properties: {
      method: { type: 'string', enum: ['POST', isV2 ? 'MERGE' : 'PATCH', 'PUT', 'DELETE'] },
      path: {
        type: 'string',
        description: "From the service's address: Orders, Orders('A-1'), or $1/Items for what write 1 creates.",
      },
      headers: { type: 'object', description: 'Such as If-Match.', additionalProperties: { type: 'string' } },
      body: { description: 'The entity, or the properties to change.' },
    },
  },
});

const results: JsonSchema = {
  type: 'array',
  items: {
    type: 'object',
    required: ['status', 'headers'],
    properties: { status: { type: 'integer' }, headers: { type: 'object' }, body: {} },
  },
};

/** The operation that sends several writes, of which the service does all or none. */
export function changeSetOperation(isV2: boolean): Draft {
  const content = (schema: JsonSchema) => [{ mediaType: 'multipart/mixed', schema, encoding: {} }];
  return {
    title: 'Change set',
    summary: 'Sends several writes, of which the service does all or none.',
    method: 'POST',
    path: '/$batch',
    parameters: [],
    headers: { Accept: 'multipart/mixed', ...(isV2 ? { DataServiceVersion: '2.0' } : { 'OData-Version': '4.0' }) },
    body: { required: true, description: 'The writes, in their order.', content: content(writes(isV2)) },
    isChangeSet: true,
    answers: [
      { status: isV2 ? '202' : '200', description: '', content: content(results), headers: [] },
      { status: 'default', description: '', content: content(results), headers: [] },
    ],
  };
}
