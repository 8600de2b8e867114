import { plainText } from '#src/automation/connectors/descriptions/plain-text.ts';
import type { JsonSchema } from '#src/automation/node-api/manifest.ts';
import { type Definitions, isSchema, resolveSchema } from './resolve-schema.ts';

export interface NamedShape {
  name: string;
  label?: string;
  schema: JsonSchema;
}

/** Names the shapes of a variant by the discriminator if it identifies every shape, else by their titles. */
export function nameShapes(
  schema: JsonSchema,
  shapes: readonly JsonSchema[],
  definitions: Definitions,
  names: readonly string[],
): { discriminator?: string; variants: NamedShape[] } {
  const given = isSchema(schema['discriminator']) ? schema['discriminator'] : {};
  const member = given['propertyName'];
  const mapping = isSchema(given['mapping']) ? Object.entries(given['mapping']) : [];
  if (typeof member === 'string') {
    const named = shapes.flatMap((shape): NamedShape[] => {
      const keys = mapping.flatMap(([key, target]) => (target === shape['$ref'] ? [key] : []));
      const own = keys.length > 0 ? keys : listConstants(shape, member, definitions, names);
      return own.map((name) => ({ name, schema: withoutMember(shape, member, definitions, names) }));
    });
    if (named.length >= shapes.length && new Set(named.map(({ name }) => name)).size === named.length)
      return { discriminator: member, variants: named };
  }
  const taken = new Set<string>();
  return {
    variants: shapes.map((shape, index) => {
      const { title } = resolveSchema(shape, definitions, names).schema;
      const label = typeof title === 'string' ? title : lastName(shape);
      const text = plainText(label, 100) || `shape ${index + 1}`;
      const name = taken.has(text) ? `${text} ${index + 1}` : text;
      taken.add(name);
      return { name, schema: shape };
    }),
  };
}

/** Lists the discriminator values of a shape: those that its own member allows, else the name of its definition. */
function listConstants(
  shape: JsonSchema,
  member: string,
  definitions: Definitions,
  names: readonly string[],
): string[] {
  const { properties } = resolveSchema(shape, definitions, names).schema;
  const own = isSchema(properties) ? properties[member] : undefined;
  const found = isSchema(own) ? resolveSchema(own, definitions, names).schema : {};
  const values = found['const'] === undefined ? found['enum'] : [found['const']];
  const texts = Array.isArray(values) ? values.filter((value): value is string => typeof value === 'string') : [];
  return texts.length > 0 ? texts : [lastName(shape)].filter((name) => name !== '');
}

const lastName = (shape: JsonSchema): string =>
  typeof shape['$ref'] === 'string' ? shape['$ref'].slice(shape['$ref'].lastIndexOf('/') + 1) : '';

/** Removes the discriminator from a shape: choosing the shape sets it, so the form does not ask for it again. */
function withoutMember(
  shape: JsonSchema,
  member: string,
  definitions: Definitions,
  names: readonly string[],
): JsonSchema {
  const { schema } = resolveSchema(shape, definitions, names);
  const { properties, required } = schema;
  if (!isSchema(properties) || !Object.hasOwn(properties, member)) return shape;
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => name !== member)),
    ...(Array.isArray(required) && { required: (required as unknown[]).filter((name) => name !== member) }),
  };
}
