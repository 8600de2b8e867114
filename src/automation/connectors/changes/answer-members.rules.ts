import type { JsonSchema } from '#src/automation/node-api/manifest.ts';

/** A member according to a schema: its types, `missing` if the schema rules it out, or `open` if the schema does not tell. */
export type Member = { types: ReadonlySet<string> } | 'missing' | 'open';

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const listTypes = ({ type }: JsonSchema): string[] =>
  (Array.isArray(type) ? (type as unknown[]) : [type]).filter((each): each is string => typeof each === 'string');

/** The schema itself, and every shape in it. */
const listShapes = (schema: JsonSchema): JsonSchema[] =>
  Array.isArray(schema['anyOf']) ? [schema, ...schema['anyOf'].filter(isSchema).flatMap(listShapes)] : [schema];

/** The shapes of a value, and of the items if it is a list. */
const passLists = (schema: JsonSchema): JsonSchema[] =>
  listShapes(schema).flatMap((shape) => (isSchema(shape['items']) ? passLists(shape['items']) : [shape]));

/**
 * Looks up a member by its path. The path continues in the items of a list, as it does in expressions. An object without described members
 * counts as `open`, because generated schemas leave out members that are nested too deeply or are too many.
 */
export function findMember(schema: JsonSchema, path: readonly string[]): Member {
  const [name, ...rest] = path;
  if (name === undefined) {
    const types = listShapes(schema).flatMap(listTypes);
    return types.length === 0 ? 'open' : { types: new Set(types) };
  }
  const found = passLists(schema).map((shape): Member => {
    const { properties } = shape;
    if (!isSchema(properties) || Object.keys(properties).length === 0) return isClosed(shape) ? 'missing' : 'open';
    const member = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return isSchema(member) ? findMember(member, rest) : 'missing';
  });
  const known = found.flatMap((member) => (typeof member === 'string' ? [] : [...member.types]));
  if (known.length > 0) return { types: new Set(known) };
  return found.includes('open') ? 'open' : 'missing';
}

const scalars = ['string', 'number', 'integer', 'boolean', 'null'];
/** True for a value without members: a scalar, or the part of a schema that only lists shapes. */
const isClosed = (schema: JsonSchema): boolean => {
  const types = listTypes(schema);
  return Array.isArray(schema['anyOf']) || (types.length > 0 && types.every((type) => scalars.includes(type)));
};

/** True if a value may now have a type that it could not have before. Null does not count, and integers count as numbers. */
export function isOtherType(before: Member, after: Member): boolean {
  if (typeof before === 'string' || typeof after === 'string') return false;
  const known = new Set([...before.types].map(plainType));
  return [...after.types].some((type) => type !== 'null' && !known.has(plainType(type)));
}

const plainType = (type: string): string => (type === 'integer' ? 'number' : type);
