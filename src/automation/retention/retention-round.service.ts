import { minuteMs } from '#src/infra/background/periodic-tasks.ts';
import type { Deps } from '#src/infra/deps.ts';
import { inOneProcess } from '#src/infra/postgres/named-locks.ts';
import { pause } from '#src/infra/timing/timers.ts';
import { isRoundDone, newRound, type Sweep, type SweepOptions, sweepRetention } from './retention-sweep.service.ts';

/** Sweeps a whole round, with a minute between sweeps. Does nothing while another process is sweeping. */
export async function sweepUntilDone(deps: Deps, signal: AbortSignal): Promise<void> {
  const round = newRound();
  while (!signal.aborted) {
    const sweep = await sweepAlone(deps, { signal, round });
    if (!sweep) return;
    if (Object.keys(sweep.deleted).length > 0 || sweep.partitions.length > 0)
      deps.log.info(sweep, 'Retention deleted what is no longer kept.');
    if (isRoundDone(round)) return;
    await pause(minuteMs, signal);
  }
}

/** Sweeps once; returns undefined when another process is sweeping. */
export const sweepAlone = (deps: Deps, options: SweepOptions = {}): Promise<Sweep | undefined> =>
  inOneProcess(deps.database, 'retention', () => sweepRetention(deps, options));
