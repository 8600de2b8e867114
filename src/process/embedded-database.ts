import { join } from 'node:path';
import type { Logger } from 'pino';
import {
  assertNotRunning,
  type EmbeddedPostgres,
  findRunningServer,
  startEmbeddedPostgres,
} from '#src/infra/embedded-postgres/embedded-postgres.ts';
import { ensureDatabase } from '#src/infra/migrations/ensure-database.ts';
import { outageRetryMs } from '#src/infra/postgres/outages.ts';
import { pause } from '#src/infra/timing/timers.ts';
import { backoff } from './backoff.ts';

const databaseName = 'causeway';

/** The database of a Causeway that currently runs on `dataDir`, if one does. */
export const runningDatabase = (dataDir: string): Promise<string | undefined> =>
  findRunningServer(join(dataDir, 'postgres'), databaseName);

/** Throws if another Causeway runs on `dataDir`. */
export const assertAlone = (dataDir: string): Promise<void> => assertNotRunning(join(dataDir, 'postgres'));

export interface OwnDatabase {
  url: string;
  stop(): Promise<void>;
}

/**
 * Starts Postgres in `dataDir`/postgres with database `causeway`, and restarts it, with growing delays, whenever it exits by
 * itself; the URL stays the same. Its clients see broken connections meanwhile, as with any restart.
 */
export async function openOwnDatabase(options: { dataDir: string; log: Logger }): Promise<OwnDatabase> {
  const log = options.log.child({ component: 'postgres' });
  const start = () =>
    startEmbeddedPostgres({ dataDir: join(options.dataDir, 'postgres'), onLog: (line) => log.debug(line) });
  let server = await start();
  const stopping = new AbortController();
  let restarting: Promise<void> = Promise.resolve();

  const watch = (current: EmbeddedPostgres): void => {
    void current.exited.then((code) => {
      if (stopping.signal.aborted) return;
      log.error({ code }, 'Postgres exited and is restarted.');
      restarting = restart();
    });
  };
  const restart = async (): Promise<void> => {
    for (let attempt = 0; ; attempt++) {
      await pause(backoff(attempt, outageRetryMs), stopping.signal);
      if (stopping.signal.aborted) return;
      try {
        server = await start();
        watch(server);
        return;
      } catch (error) {
        log.error({ err: error }, 'Postgres could not be restarted.');
      }
    }
  };

  watch(server);
  await ensureDatabase(server.url(), databaseName);
  return {
    url: server.url(databaseName),
    async stop() {
      stopping.abort();
      await restarting;
      await server.stop();
    },
  };
}
