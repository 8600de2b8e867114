import type pg from 'pg';
import { OutageError } from '#src/infra/postgres/outages.ts';
import { DatabaseClient, type Guarded } from './database-client.ts';
import type { DatabasePool } from './database-pool.ts';

const tickMs = 100;
/**
 * Ticks without a byte after which the server is asked. With the 1.5 s that a connection has to open, a request that was under way when
 * the server fell silent is answered within two seconds. A statement that only takes long is asked about more and more seldom.
 */
const firstPatience = 3;
const longestPatience = 20;
const silence = 'The database has fallen silent: it accepts no connection and ends no statement.';

interface Quiet {
  bytesHeard: number;
  ticks: number;
  patience: number;
}

/**
 * Ends the connections that wait for a server which has fallen silent: its host is gone, a firewall drops its bytes, or its processes
 * are stopped. Nothing closes them, and a slow statement looks the same. A new connection tells the two apart: if the server does not
 * accept it in time, and no connection has received a byte meanwhile, those in use are closed and their statements fail as an outage,
 * as do the callers who wait for one of them.
 *
 * Time is counted in ticks, so that what keeps this process busy is not held against the server.
 */
export class SilenceWatch {
  readonly #config: pg.ClientConfig & Guarded;
  readonly #inUse = new Map<DatabaseClient, Quiet>();
  /** How often something new was heard, over any connection. */
  #news = 0;
  readonly #pools: DatabasePool[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isAsking = false;

  /** `config` is of a connection that asks whether the server still answers. */
  constructor(config: pg.ClientConfig & Guarded) {
    this.#config = config;
  }

  over(pool: DatabasePool): void {
    this.#pools.push(pool);
    pool.on('acquire', (client) => {
      const { bytesHeard } = client as unknown as DatabaseClient;
      this.#inUse.set(client as unknown as DatabaseClient, { bytesHeard, ticks: 0, patience: firstPatience });
      this.#timer ??= setInterval(() => this.#tick(), tickMs).unref();
    });
    pool.on('release', (_error, released) => {
      const client = released as unknown as DatabaseClient;
      const quiet = this.#inUse.get(client);
      // What was answered between two ticks counts as well.
      if (quiet) this.#hears(client, quiet);
      this.#inUse.delete(client);
    });
  }

  /** Whether a connection has received anything since this was last asked. */
  #hears({ bytesHeard }: DatabaseClient, quiet: Quiet): boolean {
    if (bytesHeard === quiet.bytesHeard) return false;
    Object.assign(quiet, { bytesHeard, ticks: 0, patience: firstPatience });
    this.#news += 1;
    return true;
  }

  #tick(): void {
    if (this.#inUse.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    for (const [client, quiet] of this.#inUse) if (!this.#hears(client, quiet)) quiet.ticks += 1;
    if (!this.#isAsking && [...this.#inUse.values()].some(isSuspect)) void this.#ask();
  }

  async #ask(): Promise<void> {
    this.#isAsking = true;
    const before = this.#news;
    const isAnswered = await this.#isAnswered();
    for (const [client, quiet] of this.#inUse) this.#hears(client, quiet);
    const isSilent = !isAnswered && this.#news === before;
    this.#isAsking = false;
    if (isSilent) for (const pool of this.#pools) pool.refuseWaiting(new OutageError(silence));
    for (const [client, quiet] of this.#inUse) {
      if (isSilent) client.abandon(silence);
      else if (isSuspect(quiet)) {
        quiet.ticks = 0;
        quiet.patience = Math.min(2 * quiet.patience, longestPatience);
      }
    }
  }

  /** Whether a new connection is accepted, or refused in as many words: a server that has no room for it is not silent. */
  async #isAnswered(): Promise<boolean> {
    const client = new DatabaseClient(this.#config);
    try {
      await client.connect();
      void client.end().catch(() => undefined);
      return true;
    } catch (error) {
      return (error as { code?: unknown }).code !== 'ETIMEDOUT';
    }
  }
}

const isSuspect = ({ ticks, patience }: Quiet): boolean => ticks >= patience;
