import { noticeExpiries } from '#src/automation/credentials/expiry-notices.service.ts';
import { sweepStates } from '#src/automation/credentials/oauth/oauth-states.ts';
import type { Deps } from '#src/platform/deps.ts';

const everyMs = 3_600_000;

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

/** Does it every hour and once at the start. Every worker does: what is kept up must bear that. */
function hourly({ log }: Deps, fault: string, work: () => Promise<void>): Upkeep {
  const once = (): Promise<void> =>
    work().catch((error: unknown) => log.error({ err: error }, `${fault}; the next try is in an hour.`));
  let current = once();
  const timer = setInterval(() => {
    current = once();
  }, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await current;
    },
  };
}
