import type { JsonSchema } from '#src/automation/node-api/manifest.ts';
import { allowsNull, type Definitions, isSchema, listShapes, listTypes, resolveSchema } from './resolve-schema.ts';

/** The largest schema, in characters of JSON. It is limited because an editor reads a node's schemas whenever it shows the outputs. */
const maxSize = 24_000;
const maxDepth = 8;

/** Schemas made so far, keyed by reference: operations on the same resource usually return the same definition. */
const known = new WeakMap<Definitions, Map<string, JsonSchema>>();

/** Makes the schema of an answer, without references; see `makeOutputSchema`. Answers with the same reference share one schema. */
export function outputSchemaFor(schema: JsonSchema, definitions: Definitions): JsonSchema {
  const ref = schema['$ref'];
  if (typeof ref !== 'string' || Object.keys(schema).length > 1) return makeOutputSchema(schema, definitions);
  const made = known.get(definitions) ?? new Map<string, JsonSchema>();
  known.set(definitions, made);
  const found = made.get(ref) ?? makeOutputSchema(schema, definitions);
  made.set(ref, found);
  return found;
}

/**
 * Makes the schema of a received value, without references. Members that only requests contain (`writeOnly`) are left out. A value that
 * repeats one around it allows anything. The schema is cut to as many levels as fit.
 */
function makeOutputSchema(schema: JsonSchema, definitions: Definitions): JsonSchema {
  for (let depth = maxDepth; depth > 0; depth -= 1) {
    const budget = { left: maxSize };
    const made = make(schema, definitions, [], depth, budget);
    if (budget.left >= 0) return made;
  }
  return {};
}

function make(
  given: JsonSchema,
  definitions: Definitions,
  path: readonly string[],
  depth: number,
  budget: { left: number },
): JsonSchema {
  const { schema, names, isCircular } = resolveSchema(given, definitions, path);
  const shapes = listShapes(schema).filter((shape) => shape['type'] !== 'null');
  const types = listTypes(schema);
  const isOpen = isCircular || depth === 0;
  const type = types.length === 1 ? types[0] : undefined;
  const { format, enum: values, items, properties } = schema;
  const inner = (of: JsonSchema) => make(of, definitions, names, depth - 1, budget);
  const made: Record<string, unknown> = {
    ...(type !== undefined && { type: allowsNull(schema) ? [type, 'null'] : type }),
    ...(typeof format === 'string' && { format }),
    ...(Array.isArray(values) && values.length <= 50 && { enum: values as unknown[] }),
  };
  budget.left -= JSON.stringify(made).length;
  if (isOpen || budget.left < 0) return made;
  if (shapes.length > 0 && shapes.length <= 20)
    made['anyOf'] = shapes.map((shape) => make(shape, definitions, names, depth, budget));
  if (isSchema(items)) made['items'] = inner(items);
  if (isSchema(properties)) {
    const members = Object.entries(properties).flatMap(([name, member]): [string, JsonSchema][] => {
      budget.left -= name.length + 5;
      if (!isSchema(member) || budget.left < 0) return [];
      return resolveSchema(member, definitions, names).schema['writeOnly'] === true ? [] : [[name, inner(member)]];
    });
    made['properties'] = Object.fromEntries(members);
    const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : [];
    const kept = members.map(([name]) => name).filter((name) => required.includes(name));
    if (kept.length > 0) made['required'] = kept;
  }
  return made;
}
