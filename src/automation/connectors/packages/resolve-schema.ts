import type { JsonSchema } from '#src/automation/node-api/manifest.ts';

/** The definitions of a description, by name. */
export type Definitions = Readonly<Record<string, JsonSchema>>;

/** A schema without `$ref` and `allOf` at its top, and the names of the definitions that led to it. */
export interface Resolved {
  schema: JsonSchema;
  /** Definitions on the way from the outermost schema. Meeting one of them again means a cycle. */
  names: readonly string[];
  isCircular: boolean;
}

const prefix = '#/$defs/';
/** The most steps to resolve one schema. Only a malicious description needs more. */
const maxSteps = 100;

export const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Follows references, and merges the parts of `allOf`. A reference without a target allows anything. */
export function resolveSchema(schema: JsonSchema, definitions: Definitions, names: readonly string[] = []): Resolved {
  const budget = { steps: maxSteps };
  return resolve(schema, definitions, names, budget);
}

function resolve(
  given: JsonSchema,
  definitions: Definitions,
  names: readonly string[],
  budget: { steps: number },
): Resolved {
  budget.steps -= 1;
  if (budget.steps < 0) return { schema: {}, names, isCircular: true };
  const ref = given['$ref'];
  if (typeof ref === 'string') {
    const name = ref.startsWith(prefix) ? ref.slice(prefix.length) : '';
    if (names.includes(name)) return { schema: beside(given), names, isCircular: true };
    const target = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
    if (!target) return { schema: beside(given), names, isCircular: false };
    const found = resolve(target, definitions, [...names, name], budget);
    return { ...found, schema: { ...found.schema, ...beside(given) } };
  }
  const parts = Array.isArray(given['allOf']) ? given['allOf'].filter(isSchema) : [];
  if (parts.length === 0) return { schema: given, names, isCircular: false };
  const resolved = parts.map((part) => resolve(part, definitions, names, budget));
  return {
    schema: mergeSchemas([...resolved.map((part) => part.schema), beside(given)]),
    names: [...new Set([...names, ...resolved.flatMap((part) => part.names)])],
    isCircular: resolved.some(({ isCircular }) => isCircular),
  };
}

const beside = (schema: JsonSchema): JsonSchema =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => key !== '$ref' && key !== 'allOf'));

/** Merges schemas. For a keyword in several parts, the last one wins, except that `properties` and `required` are combined. */
function mergeSchemas(parts: readonly JsonSchema[]): JsonSchema {
  const properties = parts.flatMap((part) => (isSchema(part['properties']) ? Object.entries(part['properties']) : []));
  const required = parts.flatMap((part) => (Array.isArray(part['required']) ? (part['required'] as unknown[]) : []));
  return {
    ...Object.assign({}, ...parts),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(required.length > 0 && { required: [...new Set(required)] }),
  };
}

/** Lists the types that a schema names, without null. */
export function listTypes(schema: JsonSchema): string[] {
  const { type } = schema;
  const types = Array.isArray(type) ? (type as unknown[]) : type === undefined ? [] : [type];
  return types.filter((each): each is string => typeof each === 'string' && each !== 'null');
}

export const allowsNull = (schema: JsonSchema): boolean => {
  const { type, enum: values } = schema;
  return (
    type === 'null' ||
    (Array.isArray(type) && type.includes('null')) ||
    (Array.isArray(values) && values.includes(null)) ||
    listShapes(schema).some((shape) => shape['type'] === 'null')
  );
};

/** Lists the schemas of `oneOf` or `anyOf`. */
export function listShapes(schema: JsonSchema): JsonSchema[] {
  for (const key of ['oneOf', 'anyOf']) {
    const shapes = schema[key];
    if (Array.isArray(shapes) && shapes.length > 0) return shapes.filter(isSchema);
  }
  return [];
}
