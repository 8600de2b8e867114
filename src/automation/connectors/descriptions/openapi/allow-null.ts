import type { JsonSchema } from '#src/automation/node-api/manifest.ts';

const annotations = ['title', 'description', 'default', 'readOnly', 'writeOnly', 'deprecated'];
const combining = ['$ref', 'allOf', 'not', 'if', 'const'];

/** Applies `nullable: true` of OpenAPI 3.0, so that the schema also allows null. A schema without a type already does. */
export function allowNull(schema: Readonly<Record<string, unknown>>): JsonSchema {
  const alternatives = (['oneOf', 'anyOf'] as const).filter((key) => Array.isArray(schema[key]));
  if (combining.some((key) => schema[key] !== undefined) || alternatives.length > 1) return besideNull(schema);
  const [key] = alternatives;
  const isTyped = schema['type'] !== undefined || schema['enum'] !== undefined;
  if (key !== undefined) {
    if (isTyped) return besideNull(schema);
    return { ...schema, [key]: [...(schema[key] as unknown[]), { type: 'null' }] };
  }
  if (!isTyped) return schema;
  return {
    ...schema,
    ...(schema['type'] !== undefined && { type: [...new Set([schema['type'], 'null'].flat())] }),
    ...(Array.isArray(schema['enum']) && { enum: [...new Set([...(schema['enum'] as unknown[]), null])] }),
  };
}

function besideNull(schema: Readonly<Record<string, unknown>>): JsonSchema {
  const entries = Object.entries(schema);
  return {
    ...Object.fromEntries(entries.filter(([key]) => annotations.includes(key))),
    anyOf: [Object.fromEntries(entries.filter(([key]) => !annotations.includes(key))), { type: 'null' }],
  };
}
