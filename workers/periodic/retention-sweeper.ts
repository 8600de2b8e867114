import {
  isRoundDone,
  newRound,
  type Sweep,
  type SweepOptions,
  sweepRetention,
} from '#src/automation/retention/retention-sweep.service.ts';
import type { Deps } from '#src/infra/deps.ts';
import { pause } from '#src/infra/pause.ts';

const everyMs = 3_600_000;
/** Until the next sweep, where one ended before it was done. */
const soonMs = 60_000;

/**
 * Sweeps what retention no longer keeps, an hour after the former sweep ended. Every worker tries; the one that gets the lock
 * does it, and when it dies its session's end gives the lock to the others.
 */
export function startRetentionSweeper(deps: Deps, { firstMs = soonMs } = {}): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const loop = async (): Promise<void> => {
    let waitMs = firstMs;
    const round = newRound();
    for (;;) {
      await pause(waitMs, signal);
      if (signal.aborted) return;
      waitMs = everyMs;
      try {
        const sweep = await sweepAlone(deps, { signal, round });
        if (!sweep) continue;
        if (!isRoundDone(round)) waitMs = soonMs;
        if (Object.keys(sweep.deleted).length > 0 || sweep.partitions.length > 0)
          deps.log.info(sweep, 'Retention deleted what is no longer kept.');
      } catch (error) {
        deps.log.error({ err: error }, 'Retention could not finish its sweep; the next try is in an hour.');
      }
    }
  };
  const running = loop();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** Sweeps unless another process does just now; undefined then. */
export async function sweepAlone(deps: Deps, options: SweepOptions = {}): Promise<Sweep | undefined> {
  const client = await deps.database.system.connect();
  let broken: Error | undefined;
  try {
    const { rows } = await client.query(`SELECT pg_try_advisory_lock(hashtext('causeway.retention')) AS mine`);
    if (rows[0].mine !== true) return undefined;
    try {
      return await sweepRetention(deps, options);
    } finally {
      // A session that cannot say so is ended, and its lock with it.
      await client.query(`SELECT pg_advisory_unlock(hashtext('causeway.retention'))`).catch((error: Error) => {
        broken = error;
      });
    }
  } finally {
    client.release(broken);
  }
}
