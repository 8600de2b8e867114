import { noticeExpiries } from '#src/automation/credentials/expiry-notices.service.ts';
import { sweepStates } from '#src/automation/credentials/oauth/oauth-states.ts';
import { sweepChains } from '#src/automation/firings/chain-limits.ts';
import { purgeExpiredState } from '#src/automation/state/state-purge.ts';
import type { Deps } from '#src/infra/deps.ts';
import { sweepRates } from '#src/infra/rate-limits.ts';

const hourMs = 3_600_000;
const minuteMs = 60_000;

/** Something that is done once at the start and then again and again. */
interface Chore {
  everyMs: number;
  /** What is logged when it fails. */
  fault: string;
  work: (deps: Deps) => Promise<void>;
}

const chores: readonly Chore[] = [
  {
    // The function takes a lock and answers at once where there is nothing to make.
    everyMs: hourMs,
    fault: 'Partitions could not be made ahead',
    work: async ({ database }) => void (await database.system.query('SELECT ensure_partitions()')),
  },
  {
    // Authorisations that nobody came back from are good for nothing long before.
    everyMs: hourMs,
    fault: 'Expired OAuth states could not be deleted',
    async work(deps) {
      while (await sweepStates(deps));
    },
  },
  {
    everyMs: hourMs,
    fault: 'Expiring credentials could not be told of',
    async work(deps) {
      while (await noticeExpiries(deps));
    },
  },
  {
    // Until then it counts against the caps of its namespace.
    everyMs: minuteMs,
    fault: 'Expired state could not be deleted',
    work: async (deps) => void (await purgeExpiredState(deps)),
  },
  {
    everyMs: hourMs,
    fault: 'Old counts of event chains could not be deleted',
    async work({ database }) {
      while (await sweepChains(database.system));
    },
  },
  {
    // Of users who have asked nothing for minutes.
    everyMs: hourMs,
    fault: 'Old rate windows could not be deleted',
    work: async ({ database }) => void (await sweepRates(database)),
  },
];

/** Keeps the database tidy. Every worker does it: each chore bears that. */
export function startMaintenance(deps: Deps): { stop(): Promise<void> } {
  const running = chores.map((chore) => regularly(deps, chore));
  return {
    async stop() {
      await Promise.all(running.map(({ stop }) => stop()));
    },
  };
}

function regularly(deps: Deps, { everyMs, fault, work }: Chore): { stop: () => Promise<void> } {
  let busy = false;
  let current: Promise<void>;
  const begin = (): void => {
    // The last time has not ended yet.
    if (busy) return;
    busy = true;
    current = work(deps)
      .catch((error: unknown) => deps.log.error({ err: error }, `${fault}; it is tried again.`))
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
