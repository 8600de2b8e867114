/** Parts of schemas that describe the request that the platform sends for a node. See `node-api/api-call.ts`. */
import { key } from './schema-parts.ts';

const wireName = { type: 'string', minLength: 1, maxLength: 256 } as const;
const headerName = {
  type: 'string',
  maxLength: 128,
  pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$",
  examples: ['X-Api-Key'],
} as const;
const headerValue = { type: 'string', maxLength: 1000, pattern: '^[\\t\\x20-\\x7e]*$', examples: ['Token '] } as const;
const styles = ['simple', 'label', 'matrix', 'form', 'spaceDelimited', 'pipeDelimited', 'deepObject', 'json'] as const;
const style = { enum: styles } as const;
const place = {
  type: 'array',
  minItems: 1,
  maxItems: 16,
  items: wireName,
  description: 'The members that lead there.',
} as const;
const branch = {
  type: 'string',
  maxLength: 64,
  pattern: '^[A-Za-z0-9][A-Za-z0-9_-]*$',
  examples: ['success'],
} as const;

const parameter = {
  type: 'object',
  additionalProperties: false,
  required: ['field', 'name', 'in', 'style', 'explode'],
  properties: {
    field: { ...key, description: 'The config field that holds the value.' },
    name: wireName,
    in: { enum: ['path', 'query', 'header', 'cookie'] },
    style: { ...style, description: 'A style of OpenAPI 3.1, or json: as JSON text.' },
    explode: { type: 'boolean' },
    allow_reserved: { type: 'boolean', default: false },
  },
} as const;

const body = {
  type: 'object',
  additionalProperties: false,
  required: ['field', 'media_type', 'as'],
  properties: {
    field: { ...key, description: 'The config field that holds the value.' },
    media_type: {
      type: 'string',
      minLength: 3,
      maxLength: 256,
      pattern: '^[\\x20-\\x7e]+$',
      examples: ['application/json'],
    },
    as: { enum: ['json', 'form', 'multipart', 'xml', 'text', 'bytes'] },
    root: { ...wireName, description: 'The root element of an XML body.' },
    encoding: {
      type: 'object',
      maxProperties: 500,
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        properties: {
          style,
          explode: { type: 'boolean' },
          content_type: { type: 'string', maxLength: 256 },
          file: { type: 'boolean', description: 'Text is the base64 of a file, which is sent as one.' },
        },
      },
    },
  },
} as const;

const pagingForm = (by: string, required: readonly string[], properties: object) => ({
  type: 'object',
  additionalProperties: false,
  required: ['by', ...required],
  properties: { by: { const: by }, items: place, ...properties },
});
const asked = { param: wireName, in: { enum: ['query', 'body'], default: 'query' }, has_more: place } as const;
const start = { type: 'integer', minimum: 0 } as const;

const paging = {
  description: 'How the pages of a list follow one another.',
  oneOf: [
    pagingForm('next_link', [], { link: place }),
    pagingForm('cursor', ['cursor', 'param'], { cursor: place, ...asked }),
    pagingForm('search_after', ['key', 'param'], { key: place, ...asked }),
    pagingForm('offset', ['param'], { ...asked, start, total: place }),
    pagingForm('page', ['param'], { ...asked, start, total: place, pages: place }),
  ],
} as const;

export const call = {
  type: 'object',
  description: 'The request that the platform sends for the node, in place of code.',
  additionalProperties: false,
  required: ['method', 'path', 'parameters', 'answers'],
  properties: {
    method: { type: 'string', maxLength: 32, pattern: '^[A-Z]+$', examples: ['GET'] },
    base_url: {
      type: 'string',
      maxLength: 2048,
      pattern: '^https?://',
      examples: ['https://api.example.com/v1'],
      description: 'Where requests go when neither the credential nor the config has a `base_url`.',
    },
    path: {
      type: 'string',
      maxLength: 2048,
      pattern: '^(/[^?#\\s]*)?$',
      examples: ['/orders/{id}'],
      description: 'With places for parameters in braces: /orders/{id}.',
    },
    parameters: { type: 'array', maxItems: 100, items: parameter },
    body,
    fixed_body: { type: 'object', description: 'Members that are always sent, merged into the body.' },
    headers: { type: 'object', maxProperties: 50, propertyNames: headerName, additionalProperties: headerValue },
    credential: { ...key, description: 'The config field that names the credential.' },
    answers: {
      type: 'array',
      minItems: 1,
      maxItems: 50,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['status', 'branch'],
        properties: {
          status: { type: 'string', pattern: '^([1-5]([0-9]{2}|XX)|default)$', examples: ['404', '4XX'] },
          branch,
        },
      },
    },
    paging,
    idempotency_header: { ...headerName, description: 'Filled in with the same value for every attempt of a step.' },
  },
} as const;

const fieldKey = { ...key, description: 'A field of the credential.' } as const;

export const sends = {
  type: 'array',
  minItems: 1,
  maxItems: 10,
  description: 'How requests of nodes with a `call` carry the credential.',
  items: {
    oneOf: [
      {
        type: 'object',
        additionalProperties: false,
        required: ['as', 'name', 'field'],
        properties: { as: { const: 'header' }, name: headerName, field: fieldKey, prefix: headerValue },
      },
      {
        type: 'object',
        additionalProperties: false,
        required: ['as', 'name', 'field'],
        properties: { as: { enum: ['query', 'cookie'] }, name: wireName, field: fieldKey, prefix: headerValue },
      },
      {
        type: 'object',
        additionalProperties: false,
        required: ['as', 'username', 'password'],
        properties: { as: { const: 'basic' }, username: fieldKey, password: fieldKey },
      },
      {
        type: 'object',
        additionalProperties: false,
        required: ['as'],
        properties: { as: { const: 'bearer' }, field: fieldKey },
      },
    ],
  },
} as const;
