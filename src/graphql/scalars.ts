import { Kind, type ValueNode, valueFromASTUntyped } from 'graphql';
import { exactNumber } from '#src/infra/text/exact-numbers.ts';
import { parseInstant } from '#src/infra/text/instant-text.ts';

/** Bytes as an input. */
export interface Base64 {
  Input: Uint8Array | AsyncIterable<Uint8Array>;
  Output: never;
}

export const base64 = {
  description: 'Bytes in base64, within the limit of a JSON body. REST takes larger ones as they are.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc4648#section-4',
  serialize(): never {
    throw new TypeError('Bytes are never returned.');
  },
  parseValue(value: unknown): Base64['Input'] {
    if (typeof value === 'string' && /^[A-Za-z0-9+/]*={0,2}$/.test(value)) return Buffer.from(value, 'base64');
    // Not possible in JSON: the REST API passes its request's body this way, within the process.
    if (value instanceof Uint8Array || isByteStream(value)) return value;
    throw new TypeError('Use base64.');
  },
};

const isByteStream = (value: unknown): value is AsyncIterable<Uint8Array> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

/** Results may hold an instant as the text that the database wrote. */
export interface DateTime {
  Input: Date;
  Output: Date | string;
}

export const dateTime = {
  description: 'An ISO 8601 instant with milliseconds, in UTC.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
  serialize: (value: Date | string) => (value instanceof Date ? value.toISOString() : value),
  parseValue: parseInstant,
};

/** An exact decimal as text. Inputs take a String, so that an invalid one is reported at its field. */
export interface Decimal {
  Input: never;
  Output: string | { toFixed(): string };
}

export const decimal = {
  description: 'An exact decimal as text without an exponent: `12.50`.',
  specifiedByURL: 'https://www.w3.org/TR/xmlschema11-2/#decimal',
  serialize: (value: Decimal['Output']) => (typeof value === 'string' ? value : value.toFixed()),
  parseValue(): never {
    throw new TypeError('Inputs take decimals as String.');
  },
};

/** Deeper values exhaust the stack of code that walks them: the database, JSON.stringify, a schema. */
export const maxJsonDepth = 128;

/**
 * Returns the value if it can be stored unchanged; throws a TypeError with the reason otherwise. An infinite number would be written as
 * null.
 */
function checkedJson(value: unknown): unknown {
  // Iterative rather than recursive, because the depth of the value is what is being checked.
  const waiting: [value: unknown, depth: number][] = [[value, 0]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [found, depth] = next;
    if (typeof found === 'number' && !Number.isFinite(found)) {
      throw new TypeError('Numbers must fit a double; send larger ones as text.');
    }
    if (typeof found !== 'object' || found === null) continue;
    if (depth === maxJsonDepth) throw new TypeError(`JSON may be at most ${maxJsonDepth} levels deep.`);
    for (const inner of Array.isArray(found) ? found : Object.values(found)) waiting.push([inner, depth + 1]);
  }
  return value;
}

/** The value of a literal in a document; its numbers are read as in variables. */
function readLiteral(node: ValueNode, variables?: Record<string, unknown> | null): unknown {
  if (node.kind === Kind.INT || node.kind === Kind.FLOAT) return exactNumber(node.value);
  if (node.kind === Kind.LIST) return node.values.map((each) => readLiteral(each, variables) ?? null);
  if (node.kind !== Kind.OBJECT) return valueFromASTUntyped(node, variables);
  const members = node.fields.map(({ name, value }) => [name.value, readLiteral(value, variables)] as const);
  return Object.fromEntries(members);
}

export const json = {
  description: `Any JSON value, at most ${maxJsonDepth} levels deep.`,
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  serialize: (value: unknown) => value,
  parseValue: checkedJson,
  parseLiteral: (node: ValueNode, variables?: Record<string, unknown> | null) =>
    checkedJson(readLiteral(node, variables)),
};

/** A whole number below 2^53. */
export interface Long {
  Input: number;
  Output: number | bigint;
}

export const long = {
  description: 'A whole number below 2^53: a database id or a count.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259#section-6',
  serialize: (value: number | bigint) => Number(value),
  parseValue(value: unknown): number {
    if (!Number.isSafeInteger(value)) throw new TypeError('Use a whole number below 2^53.');
    return value as number;
  },
};
