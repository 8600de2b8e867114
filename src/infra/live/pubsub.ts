import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseClient, type Guarded } from '#src/infra/postgres/connections/database-client.ts';
import { NoticeGaps, parseNotice, silentMs } from '#src/infra/postgres/notices.ts';
import { pause } from '#src/infra/timing/timers.ts';
import { createSharedReader } from './shared-reader.ts';

/** A Postgres channel of notices. */
export interface Channel<Entry> {
  name: string;
  /** Runs for every entry of every notice, so it must be cheap. Returning undefined drops the entry. */
  parse: (raw: unknown) => Entry | undefined;
  /** The keys whose listeners receive an entry. */
  keys: (entry: Entry) => string[];
}

export interface Listener<Entry> {
  onEntry: (entry: Entry) => void;
  /** Entries may have been lost: read the table. */
  onResync: () => void;
}

/**
 * Changes that other processes committed, announced by their Notices. The tables are the truth and a notice only wakes. A
 * listener that must not miss anything subscribes first, then reads the table, and reads it again at every resync, which follows
 * within about a second of a lost notice.
 */
export interface Pubsub {
  /**
   * Subscribes immediately and returns the function that unsubscribes. Until the channel is listened on (initially, or after a lost
   * connection) entries are lost; `onResync` is called as soon as it is.
   */
  subscribe<Entry>(channel: Channel<Entry>, key: string, listener: Listener<Entry>): () => void;
  /**
   * Resolves when every notice sent before the call has been delivered, or no longer can be. A table read can overtake
   * notices that are still on their way, so a second reader waits here before it relies on what it read.
   */
  settled(): Promise<void>;
  close(): Promise<void>;
}

interface Topic {
  channel: Channel<unknown>;
  listening: boolean;
  gaps: NoticeGaps;
  byKey: Map<string, Set<Listener<unknown>>>;
}

const firstRetryMs = 20;
const lastRetryMs = 500;
const queryTimeoutMs = 10_000;

/**
 * Uses one connection of its own, opened at the first subscription and reopened for as long as the process lives. Listeners
 * resync every `resyncMs` (15 s) even on a sound connection, so that a missing notification delays a change by seconds
 * instead of losing it.
 */
export function createPubsub(
  options: { url: string; onError: (error: Error) => void; resyncMs?: number } & Guarded,
): Pubsub {
  const { onError, resyncMs = 15_000 } = options;
  const topics = new Map<string, Topic>();
  const stopping = new AbortController();
  /** Notifications that we sent to ourselves and have not received yet. */
  const marks = new Map<string, () => void>();
  let session: Session | undefined;
  let living: Promise<void> | undefined;

  function onNotice(name: string, payload: string | undefined): void {
    if (name === session?.markChannel) return marks.get(payload ?? '')?.();
    const topic = topics.get(name);
    if (!topic?.listening || !payload) return;
    try {
      const notice = parseNotice(payload);
      if (!notice) throw new TypeError(`A notification on ${name} is not a notice.`);
      for (const raw of notice.entries) deliver(topic, raw);
      if (topic.gaps.missedBefore(notice, performance.now())) resync(topic);
    } catch (error) {
      onError(error as Error);
    }
  }

  function deliver({ channel, byKey }: Topic, raw: unknown): void {
    const entry = channel.parse(raw);
    if (entry === undefined) return;
    for (const key of channel.keys(entry)) {
      for (const listener of byKey.get(key) ?? []) guarded(() => listener.onEntry(entry));
    }
  }

  function resync({ byKey }: Topic): void {
    for (const listeners of byKey.values()) for (const listener of listeners) guarded(listener.onResync);
  }

  // One listener's bug must not affect the others.
  function guarded(call: () => void): void {
    try {
      call();
    } catch (error) {
      onError(error as Error);
    }
  }

  /** Listens on all channels that are not listened on yet; entries are received only after the response. */
  async function listen(current: Session): Promise<void> {
    const fresh = [...topics.values()].filter(({ listening }) => !listening);
    if (fresh.length === 0) return;
    await current.client.query(
      fresh.map(({ channel }) => `LISTEN ${current.client.escapeIdentifier(channel.name)}`).join(';'),
    );
    if (session !== current) return;
    for (const topic of fresh) {
      topic.listening = true;
      topic.gaps.clear();
      resync(topic);
    }
    await listen(current);
  }

  // Postgres delivers notifications in commit order, so our own arrives after all earlier ones.
  async function markPassed(): Promise<void> {
    const current = session;
    if (!current) return;
    const mark = randomUUID();
    const { promise: passed, resolve } = Promise.withResolvers<void>();
    marks.set(mark, resolve);
    try {
      await current.client.query('SELECT pg_notify($1, $2)', [current.markChannel, mark]);
      await Promise.race([passed, current.ended]);
    } catch {
      current.end();
    } finally {
      marks.delete(mark);
    }
  }
  const settled = createSharedReader<null, void>({
    name: () => '',
    maxBatch: 1,
    read: async () => [await markPassed()],
  });

  async function live(): Promise<void> {
    let wait = firstRetryMs;
    while (!stopping.signal.aborted) {
      session = await openSession(options, onNotice).catch((error: Error) => {
        onError(error);
        return undefined;
      });
      if (session) {
        wait = firstRetryMs;
        await serve(session).catch(onError);
        session.end();
        session = undefined;
        for (const topic of topics.values()) topic.listening = false;
      }
      await pause(wait, stopping.signal);
      wait = Math.min(lastRetryMs, wait * 2);
    }
  }

  /** Resolves when the connection has ended; rejects when it stops responding. */
  async function serve(current: Session): Promise<void> {
    await listen(current);
    while (!stopping.signal.aborted) {
      const ended = await Promise.race([
        current.ended,
        delay(resyncMs, false, { signal: stopping.signal, ref: false }).catch(() => true),
      ]);
      if (ended) return;
      await current.client.query('SELECT 1');
      for (const topic of topics.values()) if (topic.listening) resync(topic);
    }
  }

  const watch = setInterval(() => {
    for (const topic of topics.values()) if (topic.gaps.dropSilent(performance.now())) resync(topic);
  }, silentMs / 4).unref();

  return {
    subscribe(channel, key, listener) {
      let topic = topics.get(channel.name);
      if (!topic) {
        topics.set(
          channel.name,
          (topic = {
            channel: channel as Channel<unknown>,
            listening: false,
            gaps: new NoticeGaps(),
            byKey: new Map(),
          }),
        );
        const current = session;
        if (current) void listen(current).catch(() => current.end());
      }
      living ??= live();
      const { byKey } = topic;
      const listeners = byKey.get(key) ?? new Set();
      byKey.set(key, listeners.add(listener as Listener<unknown>));
      return () => {
        listeners.delete(listener as Listener<unknown>);
        if (listeners.size === 0 && byKey.get(key) === listeners) byKey.delete(key);
      };
    },
    settled: () => settled(null),
    async close() {
      clearInterval(watch);
      stopping.abort();
      session?.end();
      await living;
    },
  };
}

interface Session {
  client: DatabaseClient;
  markChannel: string;
  /** Resolves with true when the connection is lost. */
  ended: Promise<true>;
  end: () => void;
}

async function openSession(
  { url, primary }: { url: string } & Guarded,
  onNotice: (channel: string, payload?: string) => void,
): Promise<Session> {
  const client = new DatabaseClient({
    ...(primary && { primary }),
    connectionString: url,
    options: '-c role=causeway_system',
    application_name: 'causeway-live',
    query_timeout: queryTimeoutMs,
    keepAlive: true,
  });
  const { promise: ended, resolve } = Promise.withResolvers<true>();
  // A broken connection emits `error`, `end` or both; each means that a new one is needed.
  client.on('error', () => resolve(true));
  client.on('end', () => resolve(true));
  client.on('notification', ({ channel, payload }) => onNotice(channel, payload));
  const end = () => {
    resolve(true);
    void client.end().catch(() => undefined);
  };
  const markChannel = `causeway_mark_${randomUUID().replaceAll('-', '')}`;
  try {
    await client.connect();
    await client.query(`LISTEN ${markChannel}`);
  } catch (error) {
    end();
    throw error;
  }
  return { client, markChannel, ended, end };
}
