import type { Deps } from '#src/platform/deps.ts';

const everyMs = 3_600_000;

/**
 * Makes partitions ahead of the ids, every hour and once at the start. Every worker does it: the function takes a lock and
 * answers at once where there is nothing to make.
 */
export function keepPartitions({ database, log }: Deps): { stop(): Promise<void> } {
  const ensure = async (): Promise<void> => {
    try {
      await database.system.query('SELECT ensure_partitions()');
    } catch (error) {
      log.error({ err: error }, 'Partitions could not be made ahead; the next try is in an hour.');
    }
  };
  let current = ensure();
  const timer = setInterval(() => {
    current = ensure();
  }, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await current;
    },
  };
}
