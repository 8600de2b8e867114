import { dialect, version } from '#src/infra/json-schema/fragments.ts';
import { description, images, key, name, path, slug } from './schema-parts.ts';

/** `workflow-template/v1`: a workflow with placeholders, which are filled when it is installed. */
export const workflowTemplateV1Schema = {
  $schema: dialect,
  $id: '/api/v1/schemas/workflow-template/v1',
  title: 'Workflow template',
  type: 'object',
  additionalProperties: false,
  required: ['slug', 'version', 'name', 'blob'],
  properties: {
    $schema: { type: 'string', maxLength: 500 },
    slug,
    version,
    name,
    description,
    icon: path,
    images,
    placeholders: {
      type: 'array',
      maxItems: 50,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['key', 'kind'],
        properties: {
          key,
          kind: { enum: ['credential', 'value'] },
          label: { type: 'string', minLength: 1, maxLength: 191 },
          help: { type: 'string', maxLength: 2000 },
          required: { type: 'boolean', default: true },
          default: { description: 'Used where a value placeholder is left open.' },
          credential_types: { type: 'array', minItems: 1, maxItems: 50, uniqueItems: true, items: slug },
        },
        if: { properties: { kind: { const: 'credential' } } },
        then: { required: ['credential_types'], properties: { default: false } },
        else: { properties: { credential_types: false } },
      },
    },
    blob: {
      type: 'object',
      description:
        'A workflow-blob/v1 in which {"$placeholder": "<key>"} stands, within a node\'s config, for what a placeholder is filled with.',
    },
  },
} as const;
