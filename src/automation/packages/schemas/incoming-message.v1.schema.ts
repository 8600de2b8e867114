import { dialect, version } from '#src/infra/json-schema/fragments.ts';
import { description, name, slug } from './schema-parts.ts';

const headerName = {
  type: 'string',
  maxLength: 100,
  pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$",
  examples: ['X-Shop-Signature'],
} as const;

/** `incoming-message/v1`: a message that another system sends to a webhook trigger. */
export const incomingMessageV1Schema = {
  $schema: dialect,
  $id: '/api/v1/schemas/incoming-message/v1',
  title: 'Incoming message',
  type: 'object',
  additionalProperties: false,
  required: ['slug', 'version', 'name', 'schema'],
  properties: {
    $schema: { type: 'string', maxLength: 500 },
    slug,
    version,
    name,
    description,
    headers: { type: 'array', maxItems: 50, items: headerName, description: 'Headers that the sender names.' },
    signature_header: { ...headerName, description: 'The header that seems to hold a signature of the body.' },
    schema: {
      type: 'object',
      description:
        'JSON Schema (2020-12) of the body, without references. `type`, `enum`, `required`, `properties`, `items` and `anyOf` are checked.',
    },
  },
} as const;
