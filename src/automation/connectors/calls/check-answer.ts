import { jsonType } from '#src/automation/expressions/value-type.ts';
import { isFileReference } from '#src/automation/node-api/file-reference.ts';
import type { JsonSchema } from '#src/automation/node-api/manifest.ts';

/** A place in an answer that differs from its description. It names types only, because values may be secret. */
export interface AnswerFault {
  /** `body.items.3.sku` */
  path: string;
  /** `expected string, found number` */
  message: string;
}

/** The check reports at most 5 faults and looks at 500 values at most, which takes less than 0.2 ms. */
const limits = { faults: 5, values: 500, items: 20, depth: 12 };

/**
 * Finds where a received value differs from its schema. Looks at the first items of a list and at some of the others. Members that the schema
 * does not name are allowed, and so is a file in place of binary text.
 */
export function findAnswerFaults(schema: JsonSchema, value: unknown, path = 'body'): AnswerFault[] {
  const work = { faults: [] as AnswerFault[], left: limits.values };
  check(schema, value, path, limits.depth, work);
  return work.faults;
}

interface Work {
  faults: AnswerFault[];
  left: number;
}

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function check(schema: JsonSchema, value: unknown, path: string, depth: number, work: Work): void {
  work.left -= 1;
  if (work.left < 0 || depth === 0 || work.faults.length >= limits.faults) return;
  const { type, enum: values, anyOf } = schema;
  if (schema['format'] === 'binary' && isFileReference(value)) return;
  const fault = (message: string): void => void work.faults.push({ path, message });
  if (type !== undefined && !fitsType(type, value))
    return fault(`expected ${[type].flat().map(String).join(' or ')}, found ${jsonType(value)}`);
  if (Array.isArray(values) && ['string', 'number', 'boolean'].includes(typeof value) && !values.includes(value))
    return fault('none of the described values');
  if (Array.isArray(anyOf) && !anyOf.some((shape) => isSchema(shape) && fits(shape, value, depth, work)))
    return fault('none of the described shapes');
  if (Array.isArray(value)) checkItems(schema, value, path, depth, work);
  else if (isSchema(value)) checkMembers(schema, value, path, depth, work);
}

/** True if a value fits a shape. Its faults are not reported. */
function fits(shape: JsonSchema, value: unknown, depth: number, work: Work): boolean {
  const attempt: Work = { faults: [], left: work.left };
  check(shape, value, '', depth - 1, attempt);
  work.left = attempt.left;
  return attempt.faults.length === 0;
}

const fitsType = (type: unknown, value: unknown): boolean =>
  [type]
    .flat()
    .some(
      (each) =>
        each === jsonType(value) ||
        (each === 'integer' && Number.isInteger(value)) ||
        (each === 'number' && typeof value === 'number'),
    );

function checkItems({ items }: JsonSchema, list: readonly unknown[], path: string, depth: number, work: Work): void {
  if (!isSchema(items)) return;
  const step = Math.max(1, Math.ceil(list.length / limits.items));
  for (let index = 0; index < list.length; index += step)
    check(items, list[index], `${path}.${index}`, depth - 1, work);
}

function checkMembers(
  { properties, required }: JsonSchema,
  value: Readonly<Record<string, unknown>>,
  path: string,
  depth: number,
  work: Work,
): void {
  if (!isSchema(properties)) return;
  for (const [name, member] of Object.entries(properties)) {
    if (Object.hasOwn(value, name)) {
      if (isSchema(member)) check(member, value[name], `${path}.${name}`, depth - 1, work);
    } else if (Array.isArray(required) && required.includes(name) && work.faults.length < limits.faults)
      work.faults.push({ path: `${path}.${name}`, message: 'missing' });
  }
}
