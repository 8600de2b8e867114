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
    in: { enum: ['path', 'query', 'header', 'cookie', 'envelope'] },
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
    as: {
      enum: ['json', 'form', 'multipart', 'xml', 'text', 'bytes', 'change_set'],
      description: "change_set: a list of writes, sent as a change set of OData's $batch.",
    },
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

const soapElement = {
  type: 'object',
  additionalProperties: false,
  required: ['key', 'name', 'type'],
  properties: {
    key: { ...wireName, description: 'The name of the value in JSON.' },
    name: {
      type: 'string',
      maxLength: 128,
      pattern: '^([\\p{L}_][\\p{L}\\p{N}\\p{M}._·-]*)?$',
      examples: ['order'],
      description: 'The name of the element or attribute; empty for text.',
    },
    ns: { type: 'integer', minimum: 0, description: 'Index in `namespaces`; without it, the name is in no namespace.' },
    type: { ...wireName, description: '`xs:int` for a type of XML Schema, else a key of `types`.' },
    as: { enum: ['attribute', 'text'] },
    list: { type: 'boolean', default: false },
    nillable: { type: 'boolean', default: false, description: 'Null is sent as `xsi:nil`.' },
  },
} as const;
const soapElements = { type: 'array', maxItems: 100, items: soapElement } as const;

const soap = {
  type: 'object',
  description: 'Makes the body an envelope of SOAP.',
  additionalProperties: false,
  required: ['version', 'input', 'output', 'types', 'namespaces'],
  properties: {
    version: { enum: ['1.1', '1.2'] },
    action: { type: 'string', maxLength: 1000, pattern: '^[ !#-\\[\\]-~]*$', examples: ['urn:acme:create-order'] },
    input: { ...soapElements, description: 'The elements in the body of the request.' },
    output: { ...soapElements, description: 'The elements in the body of the answer.' },
    rpc: { type: 'boolean', default: false },
    encoded: { type: 'boolean', default: false, description: 'Values carry the names of their types.' },
    headers: { ...soapElements, description: 'The header of the envelope.' },
    types: {
      type: 'object',
      maxProperties: 2000,
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        required: ['members'],
        properties: {
          members: { type: 'array', maxItems: 2000, items: soapElement },
          open: { type: 'boolean', default: false, description: 'Members that are not listed are allowed.' },
          array: { type: 'boolean', default: false, description: "An array of SOAP's encoding." },
          name: wireName,
          ns: { type: 'integer', minimum: 0 },
        },
      },
    },
    namespaces: { type: 'array', maxItems: 1000, items: { type: 'string', maxLength: 1000 } },
  },
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
      pattern: '^(/[^#\\s]*)?$',
      examples: ['/orders/{id}'],
      description: 'With places for parameters in braces: /orders/{id}.',
    },
    parameters: { type: 'array', maxItems: 100, items: parameter },
    body,
    soap,
    fixed_body: { type: 'object', description: 'Members that are always sent, merged into the body.' },
    selection: {
      ...key,
      description: 'The config field with a selection set of GraphQL, which replaces the one in `fixed_body.query`.',
    },
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
          status: {
            type: 'string',
            pattern: '^([1-5]([0-9]{2}|XX)|default|fault)$',
            examples: ['404', '4XX', 'fault'],
          },
          branch,
          fault: { ...soapElement, description: 'The element in the detail of this SOAP fault.' },
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
        required: ['as', 'name'],
        properties: { as: { const: 'header' }, name: headerName, field: fieldKey, prefix: headerValue },
      },
      {
        type: 'object',
        additionalProperties: false,
        required: ['as', 'name'],
        properties: { as: { enum: ['query', 'cookie'] }, name: wireName, field: fieldKey, prefix: headerValue },
      },
      {
        type: 'object',
        additionalProperties: false,
        required: ['as', 'username', 'password'],
        properties: { as: { enum: ['basic', 'username_token'] }, username: fieldKey, password: fieldKey },
      },
      {
        type: 'object',
        additionalProperties: false,
        required: ['as'],
        properties: { as: { const: 'bearer' }, field: fieldKey },
      },
      {
        type: 'object',
        additionalProperties: false,
        required: ['as', 'certificate', 'key'],
        properties: { as: { const: 'certificate' }, certificate: fieldKey, key: fieldKey, ca: fieldKey },
      },
    ],
  },
} as const;
