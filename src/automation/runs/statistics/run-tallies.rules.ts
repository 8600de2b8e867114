export type EndStatus = 'succeeded' | 'failed' | 'cancelled';

export interface RunCounts extends Record<EndStatus, number> {
  /** Durations of the runs that succeeded or failed; null if there are none. */
  p50Ms: number | null;
  p95Ms: number | null;
  maxMs: number | null;
}

export const noRuns: RunCounts = { succeeded: 0, failed: 0, cancelled: 0, p50Ms: null, p95Ms: null, maxMs: null };

export const runsIn = ({ succeeded, failed, cancelled }: RunCounts): number => succeeded + failed + cancelled;

/** Adds up rows of rollups, of which some may be negative: runs that were retried. */
export class RunTally {
  readonly #ended: Record<EndStatus, number> = { succeeded: 0, failed: 0, cancelled: 0 };
  readonly #runsByDuration = new Map<number, number>();

  add(status: EndStatus, durations: readonly number[], runs: readonly number[]): void {
    for (const [index, duration] of durations.entries()) {
      const added = runs[index] as number;
      this.#ended[status] += added;
      if (status !== 'cancelled') this.#runsByDuration.set(duration, (this.#runsByDuration.get(duration) ?? 0) + added);
    }
  }

  counts(): RunCounts {
    const sorted = [...this.#runsByDuration].filter(([, runs]) => runs > 0).toSorted(([one], [other]) => one - other);
    const timed = sorted.reduce((sum, [, runs]) => sum + runs, 0);
    /** The shortest duration that `percent` of the runs did not exceed. */
    const percentile = (percent: number): number | null => {
      let counted = 0;
      for (const [duration, runs] of sorted) {
        counted += runs;
        if (counted * 100 >= timed * percent) return duration;
      }
      return null;
    };
    return { ...this.#ended, p50Ms: percentile(50), p95Ms: percentile(95), maxMs: sorted.at(-1)?.[0] ?? null };
  }
}
