import type { ConfigField, FieldOption, NodeManifest, Port } from '#src/automation/node-api/manifest.ts';
import { iconUrl, listImages, withImages } from '#src/automation/packages/manifest-images.rules.ts';
import { builder } from '#src/graphql/builder.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { buildConfigSchema } from './config-schema.rules.ts';
import { NodeDefinitionRef, NodeKind } from './nodes.graphql.ts';

// The content of a node's manifest as GraphQL types, so that an editor needs no parser of manifests.

declare module '#src/graphql/builder.ts' {
  interface GraphObjects {
    NodeConfigField: ConfigField;
    NodePort: Port;
  }
}

const FieldType = defineEnum(
  'NodeConfigFieldType',
  [
    'string',
    'secret',
    'number',
    'boolean',
    'select',
    'url',
    'text',
    'json',
    'expression',
    'list',
    'object',
    'variant',
    'credentials-ref',
  ],
  {
    description: 'How a form asks for a value.',
    values: {
      string: 'One line.',
      text: 'Several lines.',
      secret: 'Text that a form hides.',
      select: 'One of `options`.',
      json: 'Any JSON.',
      expression: 'An expression, or the value it would make.',
      list: 'A list, or an expression: one value is a list of one, and nothing an empty list.',
      object: 'An object, whose members `nested` describes.',
      variant: 'A value of one of several shapes, which `nested` describes.',
      'credentials-ref': 'The databaseId of a credential, of one of `credentialTypes`.',
    },
  },
);

const OptionRef = builder.objectRef<FieldOption>('NodeConfigOption').implement({
  description: 'A value that a select field takes.',
  fields: (t) => ({
    value: t.field({ type: 'JSON', description: 'Text, a number or a boolean.', resolve: ({ value }) => value }),
    label: t.string({
      description: 'What an editor shows for it.',
      resolve: ({ label, value }) => label ?? String(value),
    }),
  }),
});

builder.objectType('NodeConfigField', {
  description: "A field of a node's config form.",
  fields: (t) => ({
    key: t.exposeString('key', { description: 'The member of the config that holds its value.' }),
    type: t.expose('type', { type: FieldType, description: 'What it takes, and so how an editor asks for it.' }),
    label: t.string({ description: 'What an editor shows above it.', resolve: ({ label, key }) => label ?? key }),
    help: t.exposeString('help', { nullable: true, description: 'A sentence for whoever fills it in.' }),
    required: t.boolean({
      description: 'Whether a node cannot run without it.',
      resolve: ({ required }) => required === true,
    }),
    default: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Used where the config leaves the field out.',
      resolve: (field) => field.default,
    }),
    options: t.field({ type: [OptionRef], description: 'At most 1,000.', resolve: ({ options }) => options ?? [] }),
    dynamic: t.boolean({
      description: 'Its options depend on the config so far: ask `resolveNodeConfig`.',
      resolve: ({ dynamic }) => dynamic === true,
    }),
    pattern: t.exposeString('pattern', {
      nullable: true,
      description: 'A regular expression of RE2 that text must match.',
    }),
    nullable: t.boolean({
      description: 'Null is a value of its own, and not the same as leaving the field out.',
      resolve: ({ nullable }) => nullable === true,
    }),
    format: t.exposeString('format', {
      nullable: true,
      description: 'What the value stands for, such as `date-time` or `integer`.',
    }),
    nested: t.field({
      type: 'JSON',
      nullable: true,
      complexity: 10,
      description:
        'What is within the value, as the manifest has it: `fields` of an object, `items` of a list, `variants` and `discriminator` of a variant. At most 500 fields to a node, six levels deep.',
      resolve: ({ fields, items, variants, discriminator }) =>
        fields || items || variants ? { fields, items, variants, discriminator } : null,
    }),
    credentialTypes: t.stringList({
      description: 'Slugs of the credential types that it takes; none for a field of another type.',
      resolve: ({ credential_types: types }) => types ?? [],
    }),
  }),
});

const PortType = defineEnum('NodePortType', ['string', 'number', 'boolean', 'object', 'array', 'any'], {
  description: 'What kind of JSON value it holds.',
});

builder.objectType('NodePort', {
  description: 'An input or an output of a node.',
  fields: (t) => ({
    name: t.exposeString('name'),
    type: t.field({ type: PortType, description: 'What passes through it.', resolve: ({ type }) => type ?? 'any' }),
    required: t.boolean({
      description: 'Whether it always has a value.',
      resolve: ({ required }) => required === true,
    }),
    description: t.exposeString('description', { nullable: true, description: "In the package author's words." }),
  }),
});

const readManifest = ({ manifest }: { manifest: unknown }) => manifest as NodeManifest;

const withManifest = { manifest: true } as const;

builder.prismaObjectFields(NodeDefinitionRef, (t) => ({
  description: t.string({
    nullable: true,
    description: "In the package author's words.",
    select: withManifest,
    resolve: (node) => readManifest(node).description,
  }),
  kind: t.field({
    type: NodeKind,
    description: 'What it does to a run and beyond it.',
    select: withManifest,
    resolve: (node) => readManifest(node).kind,
  }),
  icon: t.string({
    nullable: true,
    description: 'A signed link, good for an hour.',
    select: withImages,
    resolve: (node, _args, { automation }) => iconUrl(node, automation.imageUrls),
  }),
  images: t.field({
    type: ['NodePackageImage'],
    description: 'At most 20.',
    select: withImages,
    resolve: (node, _args, { automation }) => listImages(node, automation.imageUrls),
  }),
  fields: t.field({
    type: ['NodeConfigField'],
    description: 'Of its config form, at most 100.',
    select: withManifest,
    resolve: (node) => readManifest(node).config ?? [],
  }),
  configSchema: t.field({
    type: 'JSON',
    complexity: 10,
    description:
      'A JSON Schema (2020-12) of a config before its expressions are evaluated: text with `{{ }}` passes for any type. What a schema cannot say, saving the workflow does.',
    select: withManifest,
    resolve: (node) => buildConfigSchema(readManifest(node).config ?? []),
  }),
  branches: t.stringList({
    description: 'The branches it may answer on, at most 50. `WorkflowNode.branches` adds those its config names.',
    select: withManifest,
    resolve: (node) => readManifest(node).branches ?? ['default'],
  }),
  branchesFrom: t.string({
    nullable: true,
    description: 'The key of a list in the config whose items name further branches in their member `branch`.',
    select: withManifest,
    resolve: (node) => readManifest(node).branches_from,
  }),
  inputs: t.field({
    type: ['NodePort'],
    description: 'At most 100.',
    select: withManifest,
    resolve: (node) => readManifest(node).inputs ?? [],
  }),
  outputs: t.field({
    type: ['NodePort'],
    description: 'At most 100.',
    select: withManifest,
    resolve: (node) => readManifest(node).outputs ?? [],
  }),
}));
