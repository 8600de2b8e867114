// Fragments that the schemas of several domains embed, so that each published schema is self-contained.

/** The JSON Schema dialect of every published schema. */
export const dialect = 'https://json-schema.org/draft/2020-12/schema';

/** Semantic Versioning 2.0.0, exact. */
export const version = {
  type: 'string',
  maxLength: 64,
  examples: ['1.0.0', '2.1.0-beta.1'],
  pattern:
    '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(-(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(\\.(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\\+[0-9a-zA-Z-]+(\\.[0-9a-zA-Z-]+)*)?$',
} as const;
