import { releaseEventSet } from '#src/imports/event-sets/event-sets.service.ts';
import type { BackgroundLoop } from '#src/infra/background/background-loops.ts';
import { every } from '#src/infra/background/every.ts';

/** Milliseconds between two looks for events that imports stored. */
const everyMs = 500;

/** Hands out the events that imports stored, in every worker. */
export const importEvents: BackgroundLoop = {
  name: 'import-events',
  async start({ deps, imports: { database, targets }, consumers }) {
    return every({
      everyMs,
      log: deps.log,
      fault: 'The events of imports could not be handed out.',
      async work(signal) {
        while (!signal.aborted && (await releaseEventSet({ database, targets, consumers })));
      },
    });
  },
};
