import { dialect, version } from './schema-parts.ts';

/** Lowercase words joined by single hyphens, since it begins the names of custom elements. */
const registryName = {
  type: 'string',
  minLength: 2,
  maxLength: 40,
  pattern: '^[a-z][a-z0-9]*(-[a-z0-9]+)*$',
} as const;

const text = { type: 'string' } as const;
const number = { type: 'number' } as const;

/** One kind of setting: `type`, `label` and the options of its input in the page editor. */
const setting = (type: string, properties: object, required: string[] = []) => ({
  type: 'object',
  additionalProperties: false,
  required: ['type', 'label', ...required],
  properties: { type: { const: type }, label: text, ...properties },
});

const settings = {
  type: 'object',
  description: 'By key; the island receives the values as its props.',
  propertyNames: { pattern: '^[a-z][A-Za-z0-9_]*$' },
  additionalProperties: {
    oneOf: [
      setting('text', { default: text, placeholder: text }),
      setting('number', { default: number, min: number, max: number }),
      setting(
        'radios',
        {
          options: {
            type: 'object',
            minProperties: 1,
            additionalProperties: text,
            description: 'Labels by the value that the island receives.',
          },
          default: { ...text, description: 'A key of `options`.' },
        },
        ['options'],
      ),
      setting('checkbox', { default: { type: 'boolean' } }),
      setting('color', { default: { ...text, pattern: '^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$' } }),
      setting('range', { min: number, max: number, default: number, step: { ...number, exclusiveMinimum: 0 } }, [
        'min',
        'max',
      ]),
    ],
  },
} as const;

const block = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'island', 'title', 'enabledOn'],
  properties: {
    id: {
      ...text,
      pattern: '^[a-z][a-z0-9]*(_[a-z0-9]+)*$',
      description: 'Two underscores separate the parts of ext__<vendor>__<name>__<id>, so it has single ones only.',
    },
    island: {
      ...text,
      pattern: '^[A-Z][A-Za-z0-9]*$',
      description: 'The server component that renders the block.',
    },
    title: text,
    description: text,
    enabledOn: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { ...text, pattern: '^[a-z][a-z0-9_]*$' },
      description: 'Types of pages that the block may be placed on.',
    },
    settings,
    javascript: { type: 'boolean', default: false, description: 'Pages with the block load assets.javascript.' },
  },
} as const;

/** `theme-extensions/v1`: the manifest of a theme extension, `theme-extensions.json`. */
export const themeExtensionsV1Schema = {
  $schema: dialect,
  $id: '/api/v1/schemas/theme-extensions/v1',
  title: 'Theme extension manifest',
  type: 'object',
  additionalProperties: false,
  required: ['kind', 'vendor', 'name', 'version', 'title', 'target', 'blocks'],
  properties: {
    $schema: text,
    kind: { const: 'theme-extension' },
    vendor: registryName,
    name: registryName,
    version: { ...version, maxLength: 32 },
    title: text,
    type: { enum: ['public', 'private'], default: 'private' },
    description: text,
    icon: { ...text, description: 'A path relative to the root of the extension.' },
    target: {
      type: 'object',
      additionalProperties: false,
      required: ['theme', 'version'],
      properties: {
        theme: { ...text, pattern: '^[^/\\s]+/[a-z][a-z0-9-]*$', description: '<vendor>/<name> of the theme.' },
        version: { ...text, minLength: 1, description: 'A range of versions of the theme.' },
      },
    },
    blocks: { type: 'array', minItems: 1, items: block },
    assets: {
      type: 'object',
      additionalProperties: false,
      properties: {
        stylesheet: { ...text, pattern: '^/[A-Za-z0-9_./-]*\\.css$' },
        javascript: { ...text, pattern: '^/[A-Za-z0-9_./-]*\\.m?js$' },
      },
    },
    integrity: {
      type: 'object',
      description: 'Added by the running extension: SHA-384 by path of the asset.',
      propertyNames: { pattern: '^/[A-Za-z0-9_./-]+$' },
      additionalProperties: { ...text, pattern: '^sha384-[A-Za-z0-9+/]+={0,2}$' },
    },
  },
} as const;
