import { z } from 'zod';
import { isDecimal } from '#src/infra/text/decimals.ts';
import { exactNumber } from '#src/infra/text/exact-numbers.ts';

/** A number of JSON by its digits as they were sent. */
class Digits {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Reads JSON of a schema that has decimals. Where a decimal stands, a number is taken as the text it was sent as, so that none
 * of its digits passes through a float; every other number is read as in other bodies. Throws a SyntaxError for invalid JSON.
 */
export function parseWithDigits(text: string, schema: z.ZodType): unknown {
  const tree: unknown = JSON.parse(text, (key, value: unknown, { source = '' }: { source?: string } = {}) => {
    // A key that would set a prototype wherever the value is copied member by member; no client means to send it.
    if (key === '__proto__') return undefined;
    return typeof value === 'number' ? new Digits(source) : value;
  });
  return settle(tree, schema);
}

/** Whether a decimal stands anywhere in the schema. */
export function hasDecimals(schema: z.ZodType | undefined): boolean {
  if (!schema) return false;
  if (isDecimal(schema)) return true;
  const { members, item } = partsOf(schema);
  return hasDecimals(item) || Object.values(members).some(hasDecimals);
}

function settle(value: unknown, schema: z.ZodType | undefined): unknown {
  if (value instanceof Digits) return schema && decimalIn(schema) ? value.text : exactNumber(value.text);
  const { members, item } = schema ? partsOf(schema) : { members: {} as Record<string, z.ZodType>, item: undefined };
  if (Array.isArray(value)) return value.map((each) => settle(each, item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      settle(member, Object.hasOwn(members, key) ? members[key] : undefined),
    ]),
  );
}

const decimalIn = (schema: z.ZodType): boolean => isDecimal(schema) || isDecimal(innermost(schema));

/** The schema of what is sent, without what makes it optional or transforms it. */
function innermost(schema: z.ZodType): z.ZodType {
  if (isDecimal(schema)) return schema;
  if (schema instanceof z.ZodPipe) return innermost(schema.in as z.ZodType);
  const wrapped = [z.ZodOptional, z.ZodNullable, z.ZodDefault, z.ZodPrefault, z.ZodReadonly];
  return wrapped.some((kind) => schema instanceof kind)
    ? innermost((schema as z.ZodOptional).unwrap() as z.ZodType)
    : schema;
}

function partsOf(schema: z.ZodType): { members: Record<string, z.ZodType>; item?: z.ZodType } {
  const inner = innermost(schema);
  if (inner instanceof z.ZodObject) return { members: inner.shape };
  if (inner instanceof z.ZodArray) return { members: {}, item: inner.element as z.ZodType };
  return inner === schema ? { members: {} } : { members: {}, ...(isDecimal(inner) && { item: inner }) };
}
