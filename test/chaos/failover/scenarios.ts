import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Cluster } from './cluster.ts';

export interface Scenario {
  name: string;
  /** The kind of standby that must exist before. */
  standby: 'synchronous' | 'asynchronous' | null;
  /** True if acknowledged commits may be lost. */
  lossy: boolean;
  /** True if the database is away for the requested time. */
  isLasting: boolean;
  /** Takes the database away, and gives it back after about `awayMs`. */
  run(cluster: Cluster, awayMs: number): Promise<void>;
}

/** Time under load in which an asynchronous standby falls behind. */
const lossMs = 1_000;

export const scenarios = {
  killed: {
    name: 'primary killed, synchronous standby promoted',
    standby: 'synchronous',
    lossy: false,
    isLasting: true,
    async run(cluster, awayMs) {
      await cluster.endPrimary('kill');
      await delay(awayMs);
      await cluster.promote();
    },
  },
  lossy: {
    name: 'primary killed, asynchronous standby promoted that lacks the last second',
    standby: 'asynchronous',
    lossy: true,
    isLasting: true,
    async run(cluster, awayMs) {
      await cluster.severStandby();
      await delay(lossMs);
      await cluster.endPrimary('kill');
      await delay(awayMs);
      await cluster.promote();
    },
  },
  switchover: {
    name: 'switchover: primary stopped, standby promoted',
    standby: 'asynchronous',
    lossy: false,
    isLasting: true,
    async run(cluster, awayMs) {
      await cluster.endPrimary('stop');
      await delay(awayMs);
      await cluster.promote();
    },
  },
  frozen: {
    name: 'primary frozen for good, standby promoted, connections left open',
    standby: 'synchronous',
    lossy: false,
    isLasting: true,
    async run(cluster, awayMs) {
      await cluster.freezePrimary();
      await delay(awayMs);
      await cluster.promote('open');
    },
  },
  restart: {
    name: 'primary restarted',
    standby: null,
    lossy: false,
    isLasting: false,
    run: (cluster) => cluster.restartPrimary(),
  },
  cut: {
    name: 'connections cut',
    standby: null,
    lossy: false,
    isLasting: false,
    async run(cluster) {
      cluster.cut();
    },
  },
  readOnly: {
    name: 'primary read-only for a while',
    standby: null,
    lossy: false,
    isLasting: true,
    async run(cluster, awayMs) {
      const turn = async (on: boolean): Promise<void> => {
        await cluster.onPrimary(`ALTER SYSTEM SET default_transaction_read_only = ${on}`);
        await cluster.onPrimary('SELECT pg_reload_conf()');
      };
      await turn(true);
      await delay(awayMs);
      await turn(false);
    },
  },
  crowded: {
    name: 'too many connections',
    standby: null,
    lossy: false,
    isLasting: true,
    async run(cluster, awayMs) {
      const held = await occupy(cluster);
      await delay(awayMs);
      await Promise.all(held.map((client) => client.end().catch(() => undefined)));
    },
  },
} satisfies Record<string, Scenario>;

/** The number of concurrent connection attempts: the product is quick to reconnect. */
const seekers = 40;

/** Takes every connection that the server has, also those of the product. */
async function occupy({ url }: Cluster): Promise<pg.Client[]> {
  // Through the proxy, and as superuser, who has the reserved places as well.
  const watcher = await connection(url);
  if (!watcher) throw new Error('The server has no room from the start.');
  const held = [watcher];
  const crowd = { isFull: false };
  const seeking = Array.from({ length: seekers }, async () => {
    while (!crowd.isFull) {
      const client = await connection(url);
      if (client) held.push(client);
    }
  });
  for (const until = performance.now() + 20_000; !crowd.isFull && performance.now() < until; await delay(100)) {
    const { rowCount } = await watcher.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'causeway%'`,
    );
    crowd.isFull = rowCount === 0;
  }
  if (!crowd.isFull) throw new Error('The product holds connections that the crowd could not take.');
  await Promise.all(seeking);
  return held;
}

async function connection(url: string): Promise<pg.Client | undefined> {
  const client = new pg.Client({ connectionString: url, application_name: 'crowd' });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch {
    return undefined;
  }
}
