import { type Exact, exact, roundedDown, sum } from '#src/infra/exact.ts';

/**
 * Rounds parts of an amount so that they add up to it: each is rounded down to `places` digits after the point, and the remaining units go
 * to the parts with the largest fractions, the first of equal ones. `total` is the sum of the parts, rounded.
 */
export function allocateShares(total: Exact, parts: readonly Exact[], places: number): Exact[] {
  const floors = parts.map((part) => roundedDown(part, places));
  const left = total.minus(sum(floors)).times(`1e${places}`).toNumber();
  if (left <= 0) return floors;
  const fractions = parts.map((part, index) => ({ index, fraction: part.minus(floors[index] as Exact) }));
  const largestFirst = fractions.toSorted((a, b) => b.fraction.cmp(a.fraction));
  const raised = new Set(largestFirst.slice(0, left).map(({ index }) => index));
  const unit = exact(`1e-${places}`);
  return floors.map((floor, index) => (raised.has(index) ? floor.plus(unit) : floor));
}
