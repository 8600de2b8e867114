import { OutageError } from '#src/infra/postgres/outages.ts';
import type { DatabaseClient } from './database-client.ts';
import { enterTimeline, type ServerTimeline } from './server-session.ts';

/** Receives reports of another server or timeline, and of two primaries. */
export interface PrimaryLog {
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/**
 * Lets connections of a process through to the one server that takes writes (docs/decisions/ids-move-with-timelines.md). Each connection is
 * asked which server it leads to before it draws an id, since a failover ends connections.
 */
export class PrimaryGuard {
  readonly #log: PrimaryLog | undefined;
  /** The highest timeline that this process has seen, by cluster. */
  readonly #highest = new Map<string, number>();
  readonly #admitted = new Set<DatabaseClient>();
  #alarm: string | undefined;
  #isUnreadable = false;
  /** The server and database to which DATABASE_URL led when a pooler last led elsewhere. */
  #direct: string | undefined;
  #askingDirectly: Promise<string | undefined> | undefined;
  /** Tells where DATABASE_URL leads, over a connection that this guard has admitted. Set where poolers are used. */
  askDirectly: () => Promise<string | undefined> = () => Promise.resolve(undefined);

  constructor(log?: PrimaryLog) {
    this.#log = log;
  }

  /** Set when two primaries of one cluster were seen; all requests are refused until this process restarts. */
  get alarm(): string | undefined {
    return this.#alarm;
  }

  /** True while servers are asked for their timeline; false once a server has refused to show it. */
  get isAsking(): boolean {
    return !this.#isUnreadable;
  }

  /** Throws before a connection is opened if an alarm forbids serving. */
  assertCalm(): void {
    if (this.#alarm !== undefined) throw new OutageError(this.#alarm);
  }

  async admit(client: DatabaseClient, server: ServerTimeline | 'unreadable' | undefined): Promise<void> {
    if (server === 'unreadable') this.#noteUnreadable();
    else if (server) await this.#compare(client, server);
    this.#keep(client);
  }

  /**
   * Admits a connection to a pooler that leads to `place`, if DATABASE_URL leads there too: over that connection the server's timeline was
   * compared and entered. The connection's transactions then make sure that they stay on that server.
   */
  async admitThroughPooler(client: DatabaseClient, place: string, variable: string): Promise<void> {
    if (place !== this.#direct) {
      this.#askingDirectly ??= this.askDirectly().finally(() => {
        this.#askingDirectly = undefined;
      });
      this.#direct = await this.#askingDirectly;
    }
    if (place !== this.#direct)
      throw new OutageError(
        `${variable} and DATABASE_URL lead to different servers or databases. Both must lead to the primary.`,
      );
    this.#keep(client);
  }

  #keep(client: DatabaseClient): void {
    this.assertCalm();
    this.#admitted.add(client);
    client.once('end', () => this.#admitted.delete(client));
  }

  async #compare(client: DatabaseClient, server: ServerTimeline): Promise<void> {
    const highest = this.#highest.get(server.cluster) ?? 0;
    if (server.timeline < highest) this.#raise(server, highest);
    this.assertCalm();
    // A former primary that is frozen closes no connection, and statements on it would wait for half a minute.
    if (highest > 0 && server.timeline > highest)
      this.#abandonAll(`The connection led to timeline ${highest}, and the present primary is on ${server.timeline}.`);
    this.#highest.set(server.cluster, server.timeline);
    if (server.isKnown) return;
    const moved = await enterTimeline(client, server);
    if (moved === 0) return;
    const { cluster, timeline } = server;
    this.#log?.warn(
      { cluster, timeline, moved },
      'The database is on another server or timeline, after a failover or a restore: ids and order numbers were moved ahead, so that none is given twice.',
    );
  }

  #raise({ cluster, timeline }: ServerTimeline, highest: number): void {
    if (this.#alarm !== undefined) return;
    this.#alarm = `Two servers of the database cluster ${cluster} take writes: one on timeline ${highest}, and a former primary on timeline ${timeline}. Stop the one on timeline ${timeline}, have DATABASE_URL lead to the other alone, and restart this process. Where a backup was restored, restart it only.`;
    this.#log?.error({ alarm: 'two_primaries', cluster, timeline, highest }, this.#alarm);
    this.#abandonAll(this.#alarm);
  }

  #abandonAll(why: string): void {
    for (const admitted of this.#admitted) admitted.abandon(why);
  }

  #noteUnreadable(): void {
    if (this.#isUnreadable) return;
    this.#isUnreadable = true;
    this.#log?.warn(
      {},
      'The database server shows neither its system identifier nor its timeline, so ids are not moved ahead after a failover or a restore: see docs/database.md.',
    );
  }
}
