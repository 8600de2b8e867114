/** Fragments that several schemas of packages embed, so that each published schema is self-contained. */

/** `<namespace>:<name>`, both lower-case with dashes. */
export const slug = {
  type: 'string',
  maxLength: 128,
  pattern: '^[a-z][a-z0-9]*(-[a-z0-9]+)*:[a-z][a-z0-9]*(-[a-z0-9]+)*$',
  examples: ['acme:create-order'],
} as const;

export const name = { type: 'string', minLength: 1, maxLength: 191 } as const;

export const description = { type: 'string', maxLength: 4000 } as const;

/** A path inside the package, relative to its root: `nodes/create-order.ts`. */
export const path = {
  type: 'string',
  minLength: 1,
  maxLength: 240,
  pattern: '^[A-Za-z0-9_@][A-Za-z0-9_.@-]*(/[A-Za-z0-9_@][A-Za-z0-9_.@-]*)*$',
  examples: ['nodes/create-order.ts'],
} as const;

/** The name of an object's member: a config key, an output, a placeholder. */
export const key = {
  type: 'string',
  maxLength: 64,
  pattern: '^[A-Za-z][A-Za-z0-9_]*$',
  examples: ['orderNumber', 'base_url'],
} as const;

/** The name of a member in an object that is sent to another system. */
const memberName = { type: 'string', minLength: 1, maxLength: 128 } as const;

const perLocale = {
  type: 'object',
  maxProperties: 50,
  propertyNames: { maxLength: 16, pattern: '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$', examples: ['en', 'de-AT'] },
  additionalProperties: { type: 'string', maxLength: 500 },
} as const;

export const images = {
  type: 'array',
  maxItems: 20,
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['src'],
    properties: {
      src: path,
      alt: { ...perLocale, description: 'Alternative text, by locale code.' },
      title: { ...perLocale, description: 'Caption, by locale code.' },
      category: {
        type: 'string',
        minLength: 1,
        maxLength: 64,
        description: 'What the image is for, such as `logo`.',
      },
    },
  },
} as const;

const scalar = { type: ['string', 'number', 'boolean'] } as const;

const fieldProperties = {
  key,
  label: { type: 'string', minLength: 1, maxLength: 191 },
  required: { type: 'boolean', default: false },
  default: { description: 'Used where the config leaves the field out.' },
  options: {
    type: 'array',
    minItems: 1,
    maxItems: 1000,
    items: {
      type: 'object',
      additionalProperties: false,
      required: ['value'],
      properties: { value: scalar, label: { type: 'string', maxLength: 191 } },
    },
  },
  help: { type: 'string', maxLength: 2000 },
  pattern: {
    type: 'string',
    minLength: 1,
    maxLength: 500,
    description: 'An RE2 regular expression (no backreferences, no look-around) that a text value must match.',
  },
} as const;

const ofType = (...types: string[]) => ({
  properties: { type: { enum: types } },
  required: ['type'],
});

/** One input of a credential form. */
export const credentialField = {
  type: 'object',
  additionalProperties: false,
  required: ['key', 'type'],
  properties: {
    ...fieldProperties,
    type: { enum: ['string', 'secret', 'number', 'boolean', 'select', 'url', 'text', 'json'] },
  },
  allOf: [
    { if: ofType('select'), then: { required: ['options'] } },
    { if: ofType('secret'), then: { properties: { default: false } } },
  ],
} as const;

const isDynamic = { properties: { dynamic: { const: true } }, required: ['dynamic'] } as const;

/** The properties of an input except its key. Fields of a form, items of a list and shapes of a variant share them. */
const inputKind = {
  ...fieldProperties,
  type: {
    enum: [
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
  },
  dynamic: {
    type: 'boolean',
    default: false,
    description: "The field's options come from the node's resolve().",
  },
  credential_types: {
    type: 'array',
    minItems: 1,
    maxItems: 50,
    uniqueItems: true,
    items: slug,
    description: 'Slugs of the credential types that a credentials-ref field takes.',
  },
  nullable: { type: 'boolean', default: false, description: 'Null is a value of its own.' },
  format: {
    type: 'string',
    minLength: 1,
    maxLength: 64,
    description:
      'What the value stands for, such as `date`, `date-time`, `uuid`, `email` or `integer`; these are checked.',
  },
  fields: {
    type: 'array',
    maxItems: 500,
    items: { $ref: '#/$defs/innerField' },
    description: 'The members of an object, which may have others.',
  },
  items: { $ref: '#/$defs/innerField', description: 'What each item of a list is. Its key is not used.' },
  variants: {
    type: 'array',
    minItems: 1,
    maxItems: 100,
    items: {
      type: 'object',
      additionalProperties: false,
      required: ['name', 'field'],
      properties: {
        name: { type: 'string', minLength: 1, maxLength: 128 },
        label: fieldProperties.label,
        field: { $ref: '#/$defs/innerField' },
      },
    },
    description: 'The shapes of which a variant has one.',
  },
  discriminator: {
    ...memberName,
    description: 'The member of a variant that names its shape. Without it, the first shape that fits counts.',
  },
} as const;

const fieldRules = [
  {
    if: { ...ofType('select'), not: isDynamic },
    then: { required: ['options'] },
  },
  {
    if: ofType('credentials-ref'),
    then: { required: ['credential_types'] },
    else: { properties: { credential_types: false } },
  },
  { if: ofType('secret'), then: { properties: { default: false } } },
  { if: ofType('object'), else: { properties: { fields: false } } },
  { if: ofType('list'), else: { properties: { items: false } } },
  {
    if: ofType('variant'),
    then: { required: ['variants'] },
    else: { properties: { variants: false, discriminator: false } },
  },
] as const;

/** One input of a node's config form. A schema that embeds it has `configFieldDefs` under `$defs`. */
export const configField = {
  type: 'object',
  additionalProperties: false,
  required: ['key', 'type'],
  properties: { ...inputKind, nullable: false },
  allOf: fieldRules,
} as const;

/** An input within another. Its key is the name that is sent, and may be any text. */
export const configFieldDefs = {
  innerField: {
    type: 'object',
    additionalProperties: false,
    required: ['key', 'type'],
    properties: {
      ...inputKind,
      key: memberName,
      type: { enum: ['string', 'number', 'boolean', 'select', 'url', 'text', 'json', 'list', 'object', 'variant'] },
      default: false,
      dynamic: false,
    },
    allOf: fieldRules,
  },
} as const;
