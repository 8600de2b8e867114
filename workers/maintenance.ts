import { noticeExpiries } from '#src/automation/credentials/expiry-notices.service.ts';
import { sweepStates } from '#src/automation/credentials/oauth/oauth-states.ts';
import { purgeExpiredState } from '#src/automation/state/state-purge.ts';
import type { Deps } from '#src/platform/deps.ts';
import { sweepRates } from '#src/platform/rate-limits.ts';

const hourMs = 3_600_000;
const minuteMs = 60_000;

interface Upkeep {
  stop(): Promise<void>;
}

/** Makes partitions ahead of the ids. The function takes a lock and answers at once where there is nothing to make. */
export const keepPartitions = (deps: Deps): Upkeep =>
  hourly(deps, 'Partitions could not be made ahead', async () => {
    await deps.database.system.query('SELECT ensure_partitions()');
  });

/** Deletes the states of authorisations that nobody came back from; they are good for nothing long before. */
export const sweepAuthorizations = (deps: Deps): Upkeep =>
  hourly(deps, 'Expired OAuth states could not be deleted', async () => {
    while (await sweepStates(deps));
  });

/** Tells of credentials that are about to stop working. */
export const watchExpiries = (deps: Deps): Upkeep =>
  hourly(deps, 'Expiring credentials could not be told of', async () => {
    while (await noticeExpiries(deps));
  });

/** Deletes what has expired of the state store: until then it counts against the caps of its namespace. */
export const purgeState = (deps: Deps): Upkeep =>
  regularly(deps, minuteMs, 'Expired state could not be deleted', async () => {
    await purgeExpiredState(deps);
  });

/** Deletes what was counted of users who have asked nothing for minutes. */
export const sweepRateWindows = (deps: Deps): Upkeep =>
  hourly(deps, 'Old rate windows could not be deleted', async () => {
    await sweepRates(deps.database);
  });

const hourly = (deps: Deps, fault: string, work: () => Promise<void>): Upkeep => regularly(deps, hourMs, fault, work);

/** Does it once at the start and then again and again. Every worker does: what is kept up must bear that. */
function regularly({ log }: Deps, everyMs: number, fault: string, work: () => Promise<void>): Upkeep {
  let busy = false;
  let current: Promise<void>;
  const begin = (): void => {
    // The last time has not ended yet.
    if (busy) return;
    busy = true;
    current = work()
      .catch((error: unknown) => log.error({ err: error }, `${fault}; it is tried again.`))
      .finally(() => {
        busy = false;
      });
  };
  begin();
  const timer = setInterval(begin, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await current;
    },
  };
}
