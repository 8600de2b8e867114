import { OutageError } from '#src/infra/postgres/outages.ts';
import type { DatabaseClient } from './database-client.ts';
import type { DatabasePool } from './database-pool.ts';

const tickMs = 100;
/**
 * Ticks without a byte after which the server is probed. With the 1.5 s that a connection has to open, a request that was in progress when
 * the server fell silent fails within two seconds. A statement that is only slow is probed at growing intervals.
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
 * Ends connections to a server that has fallen silent: its host is gone, a firewall drops its packets, or its processes are stopped.
 * Nothing closes such connections, and a slow statement looks the same. A new connection distinguishes the two: if the server does not
 * accept it in time, and no connection has received a byte meanwhile, the connections in use are closed. Their statements fail as an
 * outage, and so do callers that wait for a connection.
 *
 * Time is counted in ticks, so that a busy process does not count against the server.
 */
export class SilenceWatch {
  readonly #probes: readonly (() => DatabaseClient)[];
  readonly #inUse = new Map<DatabaseClient, Quiet>();
  /** Counts the receipts of new data on any connection. */
  #news = 0;
  readonly #pools: DatabasePool[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isAsking = false;

  /** Each of `probes` makes a connection that asks whether something on the way to the server, or the server itself, accepts it. */
  constructor(...probes: (() => DatabaseClient)[]) {
    this.#probes = probes;
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
      // Bytes received between two ticks count as well.
      if (quiet) this.#hears(client, quiet);
      this.#inUse.delete(client);
    });
  }

  /** True if a connection has received anything since the last call. */
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

  async #isAnswered(): Promise<boolean> {
    return (await Promise.all(this.#probes.map((probe) => isAccepted(probe())))).every(Boolean);
  }
}

/** True if a new connection is accepted, or explicitly refused: a server without room for it is not silent. */
async function isAccepted(client: DatabaseClient): Promise<boolean> {
  try {
    await client.connect();
    void client.end().catch(() => undefined);
    return true;
  } catch (error) {
    return (error as { code?: unknown }).code !== 'ETIMEDOUT';
  }
}

const isSuspect = ({ ticks, patience }: Quiet): boolean => ticks >= patience;
