import { dialect, version } from '#src/infra/json-schema/fragments.ts';
import { call } from './call-parts.ts';
import { configField, configFieldDefs, description, images, key, name, path, slug } from './schema-parts.ts';

const port = {
  type: 'array',
  maxItems: 100,
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['name'],
    properties: {
      name: key,
      type: { enum: ['string', 'number', 'boolean', 'object', 'array', 'any'], default: 'any' },
      required: { type: 'boolean', default: false },
      description,
    },
  },
} as const;

const branch = {
  type: 'string',
  maxLength: 64,
  pattern: '^[A-Za-z0-9][A-Za-z0-9_-]*$',
  examples: ['success', 'not-found'],
} as const;

/** `node-manifest/v0-draft`: a node's name, inputs and outputs, and where its code is. */
export const nodeManifestV0DraftSchema = {
  $schema: dialect,
  $id: '/api/v1/schemas/node-manifest/v0-draft',
  title: 'Node manifest',
  type: 'object',
  additionalProperties: false,
  required: ['manifest_version', 'slug', 'version', 'name', 'kind'],
  $defs: configFieldDefs,
  properties: {
    $schema: { type: 'string', maxLength: 500 },
    manifest_version: { const: 'v0-draft' },
    slug,
    version,
    name,
    description,
    kind: {
      enum: ['action', 'transform', 'control'],
      description:
        'action: reaches outside the run. transform: computes from its config and inputs alone. control: steers the run.',
    },
    icon: { ...path, description: 'Path of an image in the package.' },
    images,
    config: { type: 'array', maxItems: 100, items: configField },
    inputs: port,
    outputs: port,
    branches: {
      type: 'array',
      minItems: 1,
      maxItems: 50,
      uniqueItems: true,
      items: branch,
      default: ['default'],
      description: 'The branches the node may answer on.',
    },
    branches_from: {
      ...key,
      description: 'Config key of a list whose items name further branches in their `branch` member.',
    },
    output_schemas: {
      type: 'object',
      maxProperties: 50,
      additionalProperties: { type: 'object' },
      description: 'JSON Schemas (2020-12) of the outputs, by branch.',
    },
    call,
    entry: {
      ...path,
      description:
        'Path of the module exporting execute(ctx) and optionally resolve(ctx). A packaged node has this or a `call`.',
    },
  },
} as const;
