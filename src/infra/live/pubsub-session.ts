import { randomUUID } from 'node:crypto';
import { DatabaseClient, type Guarded } from '#src/infra/postgres/connections/database-client.ts';
import { pause } from '#src/infra/timing/timers.ts';

const queryTimeoutMs = 10_000;
/** A notice to ourselves that takes longer counts as lost; what it was sent after is then read again with the next resync. */
const markTimeoutMs = 1_000;

/** One connection that listens to channels, from its start until it is lost or ended. */
export class PubsubSession {
  readonly #client: DatabaseClient;
  readonly #markChannel = `causeway_mark_${randomUUID().replaceAll('-', '')}`;
  /** Notifications sent to this connection itself and not received yet. */
  readonly #marks = new Map<string, () => void>();
  readonly #ended = Promise.withResolvers<true>();
  /** Resolves with true when the connection is lost. */
  readonly ended = this.#ended.promise;

  /** Connects. `onNotice` receives the notifications of the channels that are listened to. */
  static async open(
    options: { url: string } & Guarded,
    onNotice: (channel: string, payload: string) => void,
  ): Promise<PubsubSession> {
    const session = new PubsubSession(options, onNotice);
    try {
      await session.#client.connect();
      await session.listen([session.#markChannel]);
      return session;
    } catch (error) {
      session.end();
      throw error;
    }
  }

  private constructor(
    { url, primary }: { url: string } & Guarded,
    onNotice: (channel: string, payload: string) => void,
  ) {
    this.#client = new DatabaseClient({
      ...(primary && { primary }),
      connectionString: url,
      options: '-c role=causeway_system',
      application_name: 'causeway-live',
      query_timeout: queryTimeoutMs,
      keepAlive: true,
    });
    // A broken connection emits `error`, `end` or both; each means that a new one is needed.
    this.#client.on('error', () => this.#ended.resolve(true));
    this.#client.on('end', () => this.#ended.resolve(true));
    this.#client.on('notification', ({ channel, payload = '' }) => {
      if (channel === this.#markChannel) this.#marks.get(payload)?.();
      else onNotice(channel, payload);
    });
  }

  /** Entries are received only after the response. */
  async listen(channels: string[]): Promise<void> {
    await this.#client.query(channels.map((name) => `LISTEN ${this.#client.escapeIdentifier(name)}`).join(';'));
  }

  /** Rejects when the connection has stopped responding. */
  async probe(): Promise<void> {
    await this.#client.query('SELECT 1');
  }

  /**
   * Resolves when all notices sent before the call have been received, at the latest after a second, or when the connection has ended.
   * Postgres delivers notifications in commit order, so our own arrives after all earlier ones.
   */
  async settled(): Promise<void> {
    const mark = randomUUID();
    const { promise: passed, resolve } = Promise.withResolvers<void>();
    const waiting = new AbortController();
    this.#marks.set(mark, resolve);
    try {
      await this.#client.query('SELECT pg_notify($1, $2)', [this.#markChannel, mark]);
      await Promise.race([passed, this.ended, pause(markTimeoutMs, waiting.signal)]);
    } catch {
      this.end();
    } finally {
      waiting.abort();
      this.#marks.delete(mark);
    }
  }

  end(): void {
    this.#ended.resolve(true);
    void this.#client.end().catch(() => undefined);
  }
}
