import { z } from 'zod';
import { isDecimal } from '#src/infra/text/decimals.ts';
import { exactNumber } from '#src/infra/text/exact-numbers.ts';

/** A JSON number as the digits that were sent. */
class Digits {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Parses JSON for a schema that has decimals. For a decimal, a number is read as the text that was sent, so that none of its digits passes
 * through a float; every other number is read as in other bodies. Throws a SyntaxError for invalid JSON.
 */
export function parseWithDigits(text: string, schema: z.ZodType): unknown {
  const tree: unknown = JSON.parse(text, (key, value: unknown, { source = '' }: { source?: string } = {}) => {
    // A key that would set a prototype when the value is copied member by member; it has no legitimate use.
    if (key === '__proto__') return undefined;
    return typeof value === 'number' ? new Digits(source) : value;
  });
  return settle(tree, schema);
}

/** True if the schema contains a decimal anywhere. */
export function hasDecimals(schema: z.ZodType | undefined): boolean {
  if (!schema) return false;
  if (isDecimal(schema)) return true;
  const { members, item } = readParts(schema);
  return hasDecimals(item) || Object.values(members).some(hasDecimals);
}

function settle(value: unknown, schema: z.ZodType | undefined): unknown {
  if (value instanceof Digits) return schema && decimalIn(schema) ? value.text : exactNumber(value.text);
  const { members, item } = schema ? readParts(schema) : { members: {} as Record<string, z.ZodType>, item: undefined };
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

/** The schema inside of wrappers for optional and transformed values. */
function innermost(schema: z.ZodType): z.ZodType {
  if (isDecimal(schema)) return schema;
  if (schema instanceof z.ZodPipe) return innermost(schema.in as z.ZodType);
  const wrapped = [z.ZodOptional, z.ZodNullable, z.ZodDefault, z.ZodPrefault, z.ZodReadonly];
  return wrapped.some((kind) => schema instanceof kind)
    ? innermost((schema as z.ZodOptional).unwrap() as z.ZodType)
    : schema;
}

function readParts(schema: z.ZodType): { members: Record<string, z.ZodType>; item?: z.ZodType } {
  const inner = innermost(schema);
  if (inner instanceof z.ZodObject) return { members: inner.shape };
  if (inner instanceof z.ZodArray) return { members: {}, item: inner.element as z.ZodType };
  return inner === schema ? { members: {} } : { members: {}, ...(isDecimal(inner) && { item: inner }) };
}
