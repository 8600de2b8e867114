import { dialect } from '#src/infra/json-schema/fragments.ts';
import { description, path } from './schema-parts.ts';

const paths = (maxItems: number) => ({ type: 'array', maxItems, uniqueItems: true, items: path, default: [] }) as const;

/** `node-package/v1`: the list of a node package's contents, in the file that package.json's `causeway` key names. */
export const nodePackageV1Schema = {
  $schema: dialect,
  $id: '/api/v1/schemas/node-package/v1',
  title: 'Node package manifest',
  type: 'object',
  additionalProperties: false,
  required: ['namespace', 'label'],
  properties: {
    $schema: { type: 'string', maxLength: 500 },
    namespace: {
      type: 'string',
      maxLength: 63,
      pattern: '^[a-z][a-z0-9]*(-[a-z0-9]+)*$',
      examples: ['acme'],
      description: 'What every slug of the package begins with.',
    },
    label: { type: 'string', minLength: 1, maxLength: 191 },
    description,
    nodes: { ...paths(1000), description: 'Paths of node manifests (node-manifest/v0-draft).' },
    credential_types: { ...paths(50), description: 'Paths of credential types (credential-type/v1).' },
    templates: { ...paths(100), description: 'Paths of workflow templates (workflow-template/v1).' },
    messages: { ...paths(500), description: 'Paths of messages that triggers receive (incoming-message/v1).' },
    images: { ...paths(200), description: 'Paths of svg, png, jpeg, webp or gif files.' },
  },
} as const;
