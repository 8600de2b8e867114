import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { untilLeasesEnd } from '#src/infra/timing/read-leases.ts';
import type { Tx } from './tx.ts';

/**
 * Notices of committed changes, sent between processes on Postgres channels. A notice is sent after the commit and in a statement of its
 * own, because NOTIFY within a durable transaction makes all commits of the server wait for each other.
 *
 * A notice may be lost: with its connection, or with a process that ends right after a commit. Each sender numbers its notices per channel
 * and repeats its last number twice a second, so that a listener detects a missed one and reads the tables, which are the truth.
 */
export interface Notices {
  /** Sends the entries soon, together with others that wait. Equal entries that wait are sent once. Never fails. */
  send(channel: string, entries: readonly unknown[]): void;
  /** Tells the listeners of a channel that something may have changed, without saying what. */
  skip(channel: string): void;
  /** Resolves when everything given so far has been sent or given up. */
  flushed(): Promise<void>;
  /** Sends the remaining notices and tells the listeners that this sender ends. */
  close(): Promise<void>;
}

/** One notification on the wire. `entries` is empty in heartbeats, and `over` is set in a sender's last. */
export interface Notice {
  from: string;
  /** The number of the sender's latest notification with entries on this channel, this one included. */
  n: number;
  entries: unknown[];
  /** How long ago the sender last lost a notice, in milliseconds; null: never. */
  lost?: number | null;
  over?: true;
}

/** How often a sender repeats its last numbers. A listener considers a sender dead after `silentMs` of silence. */
const beatMs = 500;
export const silentMs = 1_000;

/**
 * The first notice is sent immediately; those that follow within this time are sent together: each notification costs a transaction, and
 * wakes the connection of every listening process.
 */
const gatherMs = 5;

// Postgres allows 8,000 bytes per notification.
const maxBytes = 7_500;
const maxWaiting = 20_000;

interface Outbound {
  sent: number;
  waiting: Set<string>;
}

/** Sends notices over `pool`, which needs one connection. `onError` is called for notices that were lost. */
export function createNotices({ pool, onError }: { pool: pg.Pool; onError: (error: Error) => void }): Notices {
  const from = randomUUID();
  const outbound = new Map<string, Outbound>();
  let sending: Promise<void> | undefined;
  let lostAt: number | undefined;

  const sinceLoss = (): number | null => (lostAt === undefined ? null : Math.ceil(performance.now() - lostAt));

  const openChannel = (name: string): Outbound => {
    let channel = outbound.get(name);
    if (!channel) outbound.set(name, (channel = { sent: 0, waiting: new Set() }));
    return channel;
  };

  const payload = (n: number, entries: string, over = false): string =>
    `{"from":"${from}","n":${n},"entries":[${entries}],"lost":${sinceLoss()}${over ? ',"over":true' : ''}}`;

  /** Takes the waiting entries, as pairs of channel and payload. */
  function collect(): [string, string][] {
    return [...outbound].flatMap(([name, channel]) => {
      const chunks = splitChunks(channel.waiting);
      channel.waiting.clear();
      return chunks.map((chunk): [string, string] => [name, payload(++channel.sent, chunk)]);
    });
  }

  // A failed write is not repeated: its numbers are missing, and the next beat tells the listeners so.
  const write = (notices: [string, string][]): Promise<void> =>
    pool
      .query({
        name: 'notify',
        text: 'SELECT pg_notify(channel, payload) FROM unnest($1::text[], $2::text[]) AS notice(channel, payload)',
        values: [notices.map(([channel]) => channel), notices.map(([, text]) => text)],
      })
      .then(
        () => undefined,
        (error: Error) => {
          lostAt = performance.now();
          onError(error);
        },
      );

  async function sendAll(): Promise<void> {
    // Commits that end in the same turn of the event loop share a statement.
    await new Promise((resolve) => void setImmediate(resolve));
    for (let notices = collect(); notices.length > 0; notices = collect()) {
      await write(notices);
      await delay(gatherMs);
    }
    sending = undefined;
  }

  const beats = (over = false) =>
    [...outbound].map(([name, { sent }]): [string, string] => [name, payload(sent, '', over)]);
  const beat = setInterval(() => {
    if (!sending && outbound.size > 0) sending = write(beats()).then(sendAll);
  }, beatMs).unref();

  return {
    send(name, entries) {
      if (entries.length === 0) return;
      const channel = openChannel(name);
      for (const entry of entries) channel.waiting.add(JSON.stringify(entry));
      if (channel.waiting.size > maxWaiting) {
        channel.waiting.clear();
        channel.sent += 1;
        lostAt = performance.now();
      }
      sending ??= sendAll();
    },
    skip(name) {
      openChannel(name).sent += 1;
      lostAt = performance.now();
    },
    flushed: async () => sending,
    async close() {
      clearInterval(beat);
      await sending;
      if (outbound.size > 0) await write(beats(true));
    },
  };
}

/** Sends nothing, because every process polls and none listens. */
export const noNotices: Notices = {
  send: () => undefined,
  skip: () => undefined,
  flushed: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

/** Joins entries, each JSON text, with commas, in as few chunks as the size of a notification allows. */
function splitChunks(entries: Iterable<string>): string[] {
  const chunks: string[] = [];
  let chunk = '';
  for (const text of entries) {
    if (chunk !== '' && chunk.length + text.length + 1 > maxBytes) {
      chunks.push(chunk);
      chunk = '';
    }
    chunk = chunk === '' ? text : `${chunk},${text}`;
  }
  if (chunk !== '') chunks.push(chunk);
  return chunks;
}

/** Parses a notification; undefined if it is not one of ours. */
export function parseNotice(payload: string): Notice | undefined {
  const notice = JSON.parse(payload) as Partial<Notice> | null;
  const ours = typeof notice?.from === 'string' && typeof notice.n === 'number' && Array.isArray(notice.entries);
  return ours ? (notice as Notice) : undefined;
}

/** A loss is dated by the sender, and its notice may be a while on its way. */
const lossMarginMs = 10_000;

/** Tracks the last sequence number of each sender on a channel, to detect notices that were lost. */
export class NoticeGaps {
  readonly #senders = new Map<string, { n: number; heardAt: number }>();
  #since = Number.NEGATIVE_INFINITY;

  /** Records a notice, and returns true if one before it was missed. */
  missedBefore({ from, n, entries, lost, over }: Notice, now: number): boolean {
    const known = this.#senders.get(from);
    const expected = (known?.n ?? 0) + (entries.length > 0 ? 1 : 0);
    if (over) this.#senders.delete(from);
    else this.#senders.set(from, { n, heardAt: now });
    // The first that is heard of a sender says how far it is; what it sent since was heard, unless it lost something.
    if (!known && lost !== undefined) return lost !== null && now - lost >= this.#since - lossMarginMs;
    return n !== expected;
  }

  /** Forgets the senders that fell silent without a last notice, and returns true if there were any. */
  dropSilent(now: number): boolean {
    const silent = [...this.#senders].filter(([, { heardAt }]) => now - heardAt > silentMs);
    for (const [from] of silent) this.#senders.delete(from);
    return silent.length > 0;
  }

  /** Begins again at `now`, in milliseconds of `performance`: all that was committed before is read. */
  clear(now: number): void {
    this.#senders.clear();
    this.#since = now;
  }
}

/**
 * Collects the effects of a transaction that follow its commit: notices to send, and whether it must wait for read leases to end before it
 * returns.
 */
export function collectEffects(notices: Notices): Pick<Tx, 'notify' | 'expireLeases'> & {
  /** Awaits the transaction, including its commit and the release of its connection, then applies the collected effects. */
  afterCommit: <T>(transact: () => Promise<T>) => Promise<T>;
} {
  const collected: [channel: string, entries: readonly unknown[]][] = [];
  let changesLeased = false;
  return {
    notify(channel, entries) {
      collected.push([channel, entries]);
    },
    expireLeases() {
      changesLeased = true;
    },
    async afterCommit(transact) {
      let answer: Awaited<ReturnType<typeof transact>>;
      try {
        answer = await transact();
      } catch (error) {
        // The response to a commit may be lost with its connection, so listeners are told to read the tables.
        for (const [channel] of collected) notices.skip(channel);
        throw error;
      }
      for (const [channel, entries] of collected) notices.send(channel, entries);
      if (changesLeased) await untilLeasesEnd();
      return answer;
    },
  };
}
