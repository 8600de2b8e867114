import { ExactNumber } from '#console/graph/exact-numbers.ts';
import { isObject } from './graph.ts';

/** Whether two values are the same JSON. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isSame(item, other[index]));
  }
  if (one instanceof ExactNumber) return other instanceof ExactNumber && one.digits === other.digits;
  if (!isObject(one) || !isObject(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]))
  );
}
