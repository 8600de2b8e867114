import { Kind, type ValueNode, valueFromASTUntyped } from 'graphql';
import { exactNumber } from '#src/infra/text/exact-numbers.ts';

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
function literalOf(node: ValueNode, variables?: Record<string, unknown> | null): unknown {
  if (node.kind === Kind.INT || node.kind === Kind.FLOAT) return exactNumber(node.value);
  if (node.kind === Kind.LIST) return node.values.map((each) => literalOf(each, variables) ?? null);
  if (node.kind !== Kind.OBJECT) return valueFromASTUntyped(node, variables);
  const members = node.fields.map(({ name, value }) => [name.value, literalOf(value, variables)] as const);
  return Object.fromEntries(members);
}

export const json = {
  description: `Any JSON value, at most ${maxJsonDepth} levels deep.`,
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  serialize: (value: unknown) => value,
  parseValue: checkedJson,
  parseLiteral: (node: ValueNode, variables?: Record<string, unknown> | null) =>
    checkedJson(literalOf(node, variables)),
};
