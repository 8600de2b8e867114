import type { ConfigField, FieldVariant, JsonSchema } from '#src/automation/node-api/manifest.ts';
import { describeValue } from './describe-value.rules.ts';
import { nameShapes } from './name-shapes.rules.ts';
import { type Definitions, isSchema, listShapes, resolveSchema } from './resolve-schema.ts';

/** The number of fields that may still be made, counting those within others. */
export interface FieldBudget {
  left: number;
}

/** A field whose members or items are not made yet. */
interface Pending {
  field: ConfigField;
  schema: JsonSchema;
  /** Names of the definitions that led here. */
  names: readonly string[];
  depth: number;
}

const maxDepth = 6;
const maxVariants = 50;

/**
 * Makes the field of a value that is sent. Members that only the API writes (`readOnly`) are left out. Required members are filled first,
 * and then the others level by level, so that the budget is spent near the top. If the budget is too small for an object, it gets only its
 * required members or no fields of its own. Values deeper than six levels, and values that repeat one around them, also get no fields of
 * their own.
 */
export function makeField(key: string, schema: JsonSchema, definitions: Definitions, budget: FieldBudget): ConfigField {
  const pending: Pending[] = [];
  const field = open(key, { schema, names: [], depth: 0 }, definitions, budget, pending);
  const takeNext = () => {
    const needed = pending.findIndex((each) => each.field.required === true);
    return pending.splice(Math.max(0, needed), 1)[0];
  };
  for (let next = takeNext(); next; next = takeNext()) fill(next, definitions, budget, pending);
  return field;
}

/** Makes a field without its members or items, which are left pending. */
function open(
  key: string,
  { schema, names, depth }: Omit<Pending, 'field'>,
  definitions: Definitions,
  budget: FieldBudget,
  pending: Pending[],
): ConfigField {
  budget.left -= 1;
  const found = resolveSchema(schema, definitions, names);
  const field = describeValue(key, found.schema, depth > 0);
  const hasMore = ['object', 'list', 'variant'].includes(field.type);
  if (hasMore && !found.isCircular) pending.push({ field, schema: found.schema, names: found.names, depth });
  else if (field.type === 'variant') field.type = 'json';
  return field;
}

function fill(
  { field, schema, names, depth }: Pending,
  definitions: Definitions,
  budget: FieldBudget,
  pending: Pending[],
): void {
  const inner = (key: string, of: JsonSchema, level: number) =>
    open(key, { schema: of, names, depth: level }, definitions, budget, pending);
  if (field.type === 'object') {
    const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : [];
    const all = listMembers(schema, definitions, names);
    const members = all.length <= budget.left ? all : all.filter(([name]) => required.includes(name));
    if (members.length === 0 || depth >= maxDepth || members.length > budget.left) return;
    field.fields = members.map(([name, of]) => inner(name, of, depth + 1));
    for (const member of field.fields) if (required.includes(member.key)) member.required = true;
    return;
  }
  if (field.type === 'list') {
    const { items } = schema;
    if (isSchema(items) && depth < maxDepth && budget.left > 0) field.items = inner('item', items, depth + 1);
    return;
  }
  const shapes = listShapes(schema).filter((shape) => shape['type'] !== 'null');
  if (depth >= maxDepth || shapes.length > Math.min(maxVariants, budget.left)) {
    field.type = 'json';
    return;
  }
  const { discriminator, variants } = nameShapes(schema, shapes, definitions, names);
  field.variants = variants.map(({ name, label, schema: shape }): FieldVariant => {
    // Members beside the shapes belong to every shape.
    const whole = isSchema(schema['properties']) ? { allOf: [without(schema), shape] } : shape;
    return { name, ...(label !== undefined && { label }), field: inner('value', whole, depth) };
  });
  if (discriminator !== undefined) field.discriminator = discriminator;
}

const without = (schema: JsonSchema): JsonSchema =>
  Object.fromEntries(
    Object.entries(schema).filter(([key]) => key !== 'oneOf' && key !== 'anyOf' && key !== 'discriminator'),
  );

/** Lists the members that a request may have. Members with an empty or overlong name are left out, because they cannot be fields. */
function listMembers(schema: JsonSchema, definitions: Definitions, names: readonly string[]): [string, JsonSchema][] {
  const { properties } = schema;
  if (!isSchema(properties)) return [];
  return Object.entries(properties).flatMap(([name, member]): [string, JsonSchema][] => {
    if (!isSchema(member) || name === '' || name.length > 128 || name === '__proto__') return [];
    return resolveSchema(member, definitions, names).schema['readOnly'] === true ? [] : [[name, member]];
  });
}

/** Removes `nullable`: in the config itself, null means that a field is left out. */
export function withoutNull(field: ConfigField): ConfigField {
  const kept = { ...field };
  delete kept.nullable;
  return kept;
}
