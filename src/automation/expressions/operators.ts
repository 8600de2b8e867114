import { ExpressionError } from './expression-error.ts';
import { asText, findBudget, isEqual } from './functions.ts';
import type { FunctionDefinition } from './functions.ts';

type Operator = FunctionDefinition['implementation'];

const isOrdered = (key: unknown): key is string | number => typeof key === 'string' || typeof key === 'number';

/** Sorts by keys computed once per member; undefined comes last in either direction. */
const orderBy: Operator = async function (values, directions, ...terms) {
  if (!Array.isArray(values)) return values;
  findBudget(this).charge(16 * values.length * (terms.length + 1));
  const rows: { value: unknown; keys: unknown[] }[] = [];
  for (const value of values) {
    const keys: unknown[] = [];
    for (const term of terms) keys.push(await (term as (item: unknown) => unknown)(value));
    rows.push({ value, keys });
  }
  const descending = String(directions)
    .split('')
    .map((direction) => direction === '>');
  rows.sort((a, b) => {
    for (const [index, left] of a.keys.entries()) {
      const right = b.keys[index];
      if (left === right) continue;
      if (left === undefined) return 1;
      if (right === undefined) return -1;
      if (!isOrdered(left) || !isOrdered(right) || typeof left !== typeof right) {
        throw new ExpressionError('failed', 'Order by strings only or numbers only.');
      }
      return left < right === (descending[index] ?? false) ? 1 : -1;
    }
    return 0;
  });
  return rows.map(({ value }) => value);
};

/** Bounded versions of jsonata's unbounded operators, under names that no expression can contain. */
export const boundedOperators: Readonly<Record<string, Operator>> = {
  'operator =': function (left, right) {
    return left !== undefined && right !== undefined && isEqual(left, right, findBudget(this));
  },
  'operator !=': function (left, right) {
    return left !== undefined && right !== undefined && !isEqual(left, right, findBudget(this));
  },
  'operator &': function (left, right) {
    const text = asText(this, left) + asText(this, right);
    const budget = findBudget(this);
    // A concatenation shares its parts until it is read, so a text built piece by piece costs a fraction of its length.
    budget.chargeConcatenation(text.length);
    return text;
  },
  'operator ^': orderBy,
};
