import type { Budget } from './budget.ts';
import { expressionLimits } from './budget.ts';
import { ExpressionError, tooMuch } from './expression-error.ts';

/** Sets an own property, even one called `__proto__`, which assignment would turn into a prototype. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
  else target[key] = value;
}

const isFunction = (value: object): boolean =>
  Reflect.get(value, '_jsonata_function') === true || Reflect.get(value, '_jsonata_lambda') === true;

const deeper = (depth: number): number => {
  if (depth >= expressionLimits.depth) throw tooMuch(`The value nests more than ${expressionLimits.depth} levels.`);
  return depth + 1;
};

/**
 * A plain JSON copy of an expression's result: undefined members disappear; functions and numbers that are
 * not finite are refused. Every part is charged, so that a value with shared parts cannot grow when copied.
 */
export function toJsonValue(value: unknown, budget: Budget, depth = 0): unknown {
  if (typeof value === 'string') {
    budget.chargeString(value.length);
    return value;
  }
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value;
    throw new ExpressionError('failed', 'The expression yields a number that JSON does not have, as 1/0 does.');
  }
  if (value === undefined || value === null || typeof value === 'boolean') return value;
  if (Array.isArray(value)) {
    budget.charge(8 * value.length);
    const next = deeper(depth);
    return value.map((item) => toJsonValue(item, budget, next) ?? null);
  }
  if (typeof value !== 'object' || isFunction(value)) {
    throw new ExpressionError('failed', 'The expression yields a function; call it.');
  }
  const next = deeper(depth);
  const copy: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    budget.charge(8 + key.length);
    const plain = toJsonValue(member, budget, next);
    if (plain !== undefined) setOwn(copy, key, plain);
  }
  return copy;
}

/** Charges what serialising the value would take, without doing so. Throws before that becomes too much. */
export function chargeValue(value: unknown, budget: Budget, depth = 0): void {
  if (typeof value === 'string') {
    budget.charge(value.length);
  } else if (typeof value === 'object' && value !== null) {
    const next = deeper(depth);
    for (const [key, member] of Object.entries(value)) {
      budget.charge(8 + key.length);
      chargeValue(member, budget, next);
    }
  }
}

/**
 * From this many units on, parts are remembered so that repeated ones are not walked again: remembering takes longer than walking a few.
 */
const rememberFrom = 64 * 1024;

/**
 * Refuses a value that would be too large once serialised. Members may be shared, so a few bytes of memory can stand for
 * gigabytes of JSON; such a value must not be passed on. Returns its size, in the units of `expressionLimits.value`.
 */
export function checkSize(value: unknown): number {
  let units = 0;
  const add = (more: number): void => {
    units += more;
    if (units > expressionLimits.value) {
      throw tooMuch('The expression makes too large a value; pick the members that are needed.');
    }
  };
  const known = new Map<object, { units: number; levels: number }>();
  /** Adds a part, and returns its number of levels. */
  const visit = (part: unknown, depth: number): number => {
    add(8 + (typeof part === 'string' ? part.length : 0));
    if (typeof part !== 'object' || part === null) return 0;
    const found = known.get(part);
    if (found) {
      add(found.units);
      deeper(depth + found.levels - 1);
      return found.levels;
    }
    const before = units;
    const next = deeper(depth);
    let levels = 0;
    // `Object.values` of many small objects takes half of the time.
    if (Array.isArray(part)) for (const member of part) levels = Math.max(levels, visit(member, next));
    else for (const key in part) levels = Math.max(levels, visit((part as Record<string, unknown>)[key], next));
    levels += 1;
    if (units > rememberFrom) known.set(part, { units: units - before, levels });
    return levels;
  };
  visit(value, 0);
  return units;
}

/** A value's text inside a longer text: empty for null and undefined, JSON for objects and arrays. */
export function toText(value: unknown, budget: Budget): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') {
    budget.chargeString(value.length);
    return value;
  }
  if (typeof value !== 'object') return JSON.stringify(value) ?? '';
  chargeValue(value, budget);
  const text = JSON.stringify(value);
  budget.chargeString(text.length);
  return text;
}
