/** The statistics of a set of samples, in the unit of the samples. */
export interface Summary {
  readonly count: number;
  readonly mean: number;
  readonly min: number;
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/**
 * Nearest-rank percentile: the smallest sample that at least `share` (0 to 1) of the samples do not exceed, so the
 * answer is always a value that was measured. `sorted` ascends; an empty set answers NaN.
 */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  return sorted[Math.min(rank, sorted.length) - 1] ?? Number.NaN;
}

/** Sorts a copy of `samples` and reads it. Every figure of an empty set is NaN, except its count. */
export function summarise(samples: ArrayLike<number>): Summary {
  const sorted = Float64Array.from(samples).toSorted();
  let sum = 0;
  for (const sample of sorted) sum += sample;
  return {
    count: sorted.length,
    mean: sum / sorted.length,
    min: percentile(sorted, 0),
    p50: percentile(sorted, 0.5),
    p90: percentile(sorted, 0.9),
    p95: percentile(sorted, 0.95),
    p99: percentile(sorted, 0.99),
    max: percentile(sorted, 1),
  };
}

/** The middle of the samples, by nearest rank. */
export const median = (samples: ArrayLike<number>): number => percentile(Float64Array.from(samples).toSorted(), 0.5);

/** Rounds to `digits` significant digits, so that a printed figure does not claim more than was measured. */
export function significant(value: number, digits = 4): number {
  return Number.isFinite(value) ? Number(value.toPrecision(digits)) : value;
}
