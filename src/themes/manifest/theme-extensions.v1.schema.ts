import { dialect, version } from '#src/infra/json-schema/fragments.ts';
import { settings } from './settings.v1.schema.ts';

const text = { type: 'string' } as const;

/** Lowercase words joined by single hyphens, because it begins the names of custom elements. */
const registryName = (description: string, example: string) =>
  ({
    type: 'string',
    minLength: 2,
    maxLength: 40,
    pattern: '^[a-z][a-z0-9]*(-[a-z0-9]+)*$',
    description: `${description} 2 to 40 characters: lowercase letters, digits and single hyphens, beginning with a letter.`,
    examples: [example],
  }) as const;

const assetPath = (ending: string, description: string, example: string) =>
  ({
    type: 'string',
    pattern: `^/[A-Za-z0-9_./-]*\\.${ending}$`,
    description,
    examples: [example],
  }) as const;

const block = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'island', 'title', 'enabledOn'],
  description: 'A piece of a page that the shop places in its page editor, and the extension renders.',
  properties: {
    id: {
      ...text,
      pattern: '^[a-z][a-z0-9]*(_[a-z0-9]+)*$',
      description:
        'Unique in the extension; themes know the block as ext__<vendor>__<name>__<id>. Lowercase letters, digits and single underscores.',
      examples: ['size_guide'],
    },
    island: {
      ...text,
      pattern: '^[A-Z][A-Za-z0-9]*$',
      description: 'The server component that renders the block, served at /theme-extensions/islands/<island>.',
      examples: ['SizeGuide'],
    },
    title: { ...text, description: "Its name in the page editor's list of blocks.", examples: ['Size guide'] },
    description: {
      ...text,
      description: 'One line below the title in the list of blocks.',
      examples: ['A table of sizes for the product.'],
    },
    enabledOn: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: {
        ...text,
        pattern: '^[a-z][a-z0-9_]*$',
        description: 'A type of page, as the theme names it.',
        examples: ['page', 'region', 'product'],
      },
      description: 'The types of pages that the block may be placed on.',
      examples: [['product', 'page']],
    },
    settings,
    javascript: {
      type: 'boolean',
      default: false,
      description: 'Whether pages with the block load assets.javascript, which defines its custom elements.',
    },
  },
} as const;

/** `theme-extensions/v1`: the manifest of a theme extension, `theme-extensions.json`. */
export const themeExtensionsV1Schema = {
  $schema: dialect,
  $id: '/api/v1/schemas/theme-extensions/v1',
  title: 'Theme extension manifest',
  description: 'theme-extensions.json: the blocks that an extension adds to a theme, their settings and their assets.',
  type: 'object',
  additionalProperties: false,
  required: ['kind', 'vendor', 'name', 'version', 'title', 'target', 'blocks'],
  properties: {
    $schema: { ...text, description: 'The address of this schema, for editors.' },
    kind: { const: 'theme-extension', description: 'What the file is: always theme-extension.' },
    vendor: registryName('Who makes it. Every custom element is named <vendor>-*.', 'acme'),
    name: registryName('Its name, unique within the vendor.', 'reviews'),
    version: {
      ...version,
      maxLength: 32,
      description: 'A semantic version. Once registered it never changes: publish a change as another version.',
      examples: ['1.0.0', '2.1.0-beta.1'],
    },
    title: { ...text, description: 'Its name for people, in the admin and the marketplace.', examples: ['Reviews'] },
    type: {
      enum: ['public', 'private'],
      default: 'private',
      description:
        'public: any shop with the target theme may install it once an operator has published it. private: only the shop that registered it.',
    },
    description: { ...text, description: 'A short text for the marketplace.' },
    icon: { ...text, description: 'A path relative to the root of the extension.', examples: ['icon.svg'] },
    target: {
      type: 'object',
      additionalProperties: false,
      required: ['theme', 'version'],
      description: 'The theme that the blocks are for.',
      properties: {
        theme: {
          ...text,
          pattern: '^[^/\\s]+/[a-z][a-z0-9-]*$',
          description: '<vendor>/<name> of the theme.',
          examples: ['acme/starter'],
        },
        version: {
          ...text,
          minLength: 1,
          description: 'The versions of the theme that the extension is built against: a semver range.',
          examples: ['^2.1.0', '>=2 <4'],
        },
      },
    },
    blocks: { type: 'array', minItems: 1, items: block, description: 'At least one.' },
    assets: {
      type: 'object',
      additionalProperties: false,
      description: 'Files that pages with a block of the extension load. The theme serves them from its own origin.',
      properties: {
        stylesheet: assetPath(
          'css',
          "Loaded with every block. Use the theme's CSS custom properties, so that blocks follow the brand of the shop.",
          '/assets/reviews.css',
        ),
        javascript: assetPath(
          'm?js',
          'A module that defines custom elements named <vendor>-* and does nothing else; loaded with blocks that set javascript.',
          '/assets/reviews.js',
        ),
      },
    },
    integrity: {
      type: 'object',
      description:
        'Not written by hand: the running extension adds it. The SHA-384 subresource integrity of each asset, by its path.',
      propertyNames: { pattern: '^/[A-Za-z0-9_./-]+$', examples: ['/assets/reviews.css'] },
      additionalProperties: {
        ...text,
        pattern: '^sha384-[A-Za-z0-9+/]+={0,2}$',
        examples: ['sha384-OLBgp1GsljhM2TJ+sbHjaiH9txEUvgdDTAzHv2P24donTt6/529l+9Ua0vFImLlb'],
      },
    },
  },
} as const;
