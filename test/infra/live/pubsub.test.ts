import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Channel } from '#src/infra/live/pubsub-topic.ts';
import { createPubsub, type Pubsub } from '#src/infra/live/pubsub.ts';
import type { Notice } from '#src/infra/postgres/notices.ts';
import { cloneDatabase } from '#test/setup/database.ts';

const pairs: Channel<[string, number]> = {
  name: 'test_pairs',
  parse: (raw) => (Array.isArray(raw) && typeof raw[0] === 'string' ? (raw as [string, number]) : undefined),
  keys: ([key]) => [key, 'all'],
};

let url: string;
let drop: () => Promise<void>;
let sender: pg.Client;
const opened: Pubsub[] = [];

beforeAll(async () => {
  ({ url, drop } = await cloneDatabase());
  sender = new pg.Client({ connectionString: url });
  await sender.connect();
});

afterAll(async () => {
  await Promise.all(opened.map((pubsub) => pubsub.close()));
  await sender.end();
  await drop();
});

function open(resyncMs = 60_000): { pubsub: Pubsub; errors: Error[] } {
  const errors: Error[] = [];
  const pubsub = createPubsub({ url, onError: (error) => errors.push(error), resyncMs });
  opened.push(pubsub);
  return { pubsub, errors };
}

/** Keeps what it hears. */
function ear() {
  const heard: unknown[] = [];
  let resyncs = 0;
  return {
    heard,
    onEntry: (entry: unknown) => void heard.push(entry),
    onResync: () => void (resyncs += 1),
    resyncs: () => resyncs,
  };
}

const sendRaw = (payload: string) => sender.query('SELECT pg_notify($1, $2)', [pairs.name, payload]);
let sent = 0;
const send = (entries: unknown[], notice: Omit<Notice, 'entries'> = { from: 'sender', n: ++sent }) =>
  sendRaw(JSON.stringify({ ...notice, entries } satisfies Notice));
const until = (condition: () => boolean) => expect.poll(condition, { timeout: 60_000, interval: 5 }).toBe(true);
const listeners = async (): Promise<number[]> => {
  const { rows } = await sender.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE application_name = 'causeway-live' AND datname = current_database()`,
  );
  return rows.map(({ pid }) => pid);
};
const untilListeners = (many: number) => expect.poll(listeners, { timeout: 60_000 }).toHaveLength(many);

describe('notices between processes', () => {
  test('signals a resync once it listens, and then receives every entry of its keys', async () => {
    const { pubsub } = open();
    const [a, b, all] = [ear(), ear(), ear()];
    pubsub.subscribe(pairs, 'a', a);
    pubsub.subscribe(pairs, 'b', b);
    pubsub.subscribe(pairs, 'all', all);
    await until(() => a.resyncs() === 1 && b.resyncs() === 1);
    await send([
      ['a', 1],
      ['b', 2],
      ['a', 3],
    ]);
    await until(() => all.heard.length === 3);
    expect([a.heard, b.heard]).toEqual([
      [
        ['a', 1],
        ['a', 3],
      ],
      [['b', 2]],
    ]);
    // One entry is one object for all listeners.
    expect(all.heard[0]).toBe(a.heard[0]);
    await pubsub.close();
  });

  test('signals one resync for channels that are added while it connects or begins to listen to others', async () => {
    const { pubsub } = open();
    const ears = Array.from({ length: 6 }, ear);
    for (const [index, each] of ears.entries()) {
      const channel = { ...pairs, name: `test_added_${index}` };
      expect(pubsub.isListening(channel)).toBe(false);
      pubsub.subscribe(channel, 'a', each);
      await delay(index);
    }
    await until(() => ears.every((each) => each.resyncs() > 0));
    await delay(200);
    expect(ears.map((each) => each.resyncs())).toEqual(ears.map(() => 1));
    expect(pubsub.isListening({ name: 'test_added_0' })).toBe(true);
    await pubsub.close();
  });

  test('takes over the number of a sender that it hears for the first time, unless that lost a notice meanwhile', async () => {
    const { pubsub } = open();
    const hears = ear();
    pubsub.subscribe(pairs, 'a', hears);
    await until(() => hears.resyncs() === 1);
    await send([['a', 1]], { from: 'earlier', n: 7, lost: null });
    await send([['a', 2]], { from: 'earlier', n: 8, lost: null });
    await send([['a', 3]], { from: 'lost long ago', n: 3, lost: 3_600_000 });
    await until(() => hears.heard.length === 3);
    expect(hears.resyncs()).toBe(1);
    await send([], { from: 'lost just now', n: 3, lost: 1 });
    await until(() => hears.resyncs() === 2);
    await send([['a', 4]], { from: 'earlier', n: 10, lost: null });
    await until(() => hears.resyncs() === 3);
    await send([['a', 5]], { from: 'of an older version', n: 5 });
    await until(() => hears.resyncs() === 4);
    await pubsub.close();
  });

  test('uses one connection for all subscribers and channels, and none after closing', async () => {
    // Postgres takes a moment to forget those of the test before.
    await untilListeners(0);
    const { pubsub } = open();
    const ears = Array.from({ length: 50 }, ear);
    for (const [index, each] of ears.entries()) pubsub.subscribe({ ...pairs, name: `test_${index % 3}` }, 'a', each);
    await until(() => ears.every((each) => each.resyncs() > 0));
    expect(await listeners()).toHaveLength(1);
    await pubsub.close();
    await untilListeners(0);
  });

  test('drops and reports malformed notifications; a listener that throws does not affect others', async () => {
    const { pubsub, errors } = open();
    const hears = ear();
    pubsub.subscribe(pairs, 'a', {
      onEntry: () => {
        throw new Error('A bug in a listener.');
      },
      onResync: () => undefined,
    });
    pubsub.subscribe(pairs, 'a', hears);
    await until(() => hears.resyncs() === 1);
    for (const payload of ['no json', '{"a":1}', '']) await sendRaw(payload);
    await send([null, 5, {}, [7]]);
    await send([['a', 1]]);
    await until(() => hears.heard.length === 1);
    expect(hears.heard).toEqual([['a', 1]]);
    expect(errors.map(({ message }) => message)).toContain('A bug in a listener.');
    expect(errors).toHaveLength(3);
    await pubsub.close();
  });

  test('receives nothing after it was unsubscribed', async () => {
    const { pubsub } = open();
    const [gone, stays] = [ear(), ear()];
    const detach = pubsub.subscribe(pairs, 'a', gone);
    pubsub.subscribe(pairs, 'a', stays);
    await until(() => stays.resyncs() === 1);
    detach();
    await send([['a', 1]]);
    await until(() => stays.heard.length === 1);
    expect(gone.heard).toEqual([]);
    await pubsub.close();
  });

  test('reconnects when its connection is killed, signals a resync, and receives again', async () => {
    await untilListeners(0);
    const { pubsub } = open();
    const hears = ear();
    pubsub.subscribe(pairs, 'a', hears);
    await until(() => hears.resyncs() === 1);
    const before = await listeners();
    for (const pid of before) await sender.query('SELECT pg_terminate_backend($1)', [pid]);
    await until(() => hears.resyncs() === 2);
    await send([['a', 1]]);
    await until(() => hears.heard.length === 1);
    expect(await listeners()).not.toEqual(before);
    await pubsub.close();
  });

  test('keeps trying during a database outage, and can be closed immediately', async () => {
    const errors: Error[] = [];
    const away = createPubsub({ url: 'postgresql://nobody@127.0.0.1:1/none', onError: (error) => errors.push(error) });
    const hears = ear();
    away.subscribe(pairs, 'a', hears);
    await until(() => errors.length >= 3);
    expect(hears.resyncs()).toBe(0);
    const begun = Date.now();
    await away.close();
    expect(Date.now() - begun).toBeLessThan(2_000);
  });

  test('signals a resync only when a number is missing, or when a heartbeat names one that never arrived', async () => {
    const { pubsub } = open();
    const hears = ear();
    pubsub.subscribe(pairs, 'a', hears);
    await until(() => hears.resyncs() === 1);
    const other = { from: 'numbered' };
    await send([['a', 1]], { ...other, n: 1 });
    await send([], { ...other, n: 1 });
    await send([['a', 2]], { ...other, n: 2 });
    await until(() => hears.heard.length === 2);
    expect(hears.resyncs()).toBe(1);
    await send([['a', 4]], { ...other, n: 4 });
    await until(() => hears.resyncs() === 2);
    await send([], { ...other, n: 5 });
    await until(() => hears.resyncs() === 3);
    await send([], { ...other, n: 5, over: true });
    await pubsub.close();
  });

  test('signals a resync within about a second when a sender falls silent, and not when it says goodbye', async () => {
    const { pubsub } = open();
    const hears = ear();
    pubsub.subscribe(pairs, 'a', hears);
    await until(() => hears.resyncs() === 1);
    await send([['a', 1]], { from: 'leaves', n: 1 });
    await send([], { from: 'leaves', n: 1, over: true });
    await delay(1_500);
    expect(hears.resyncs()).toBe(1);
    await send([['a', 2]], { from: 'dies', n: 1 });
    await until(() => hears.resyncs() === 2);
    await pubsub.close();
  });

  test('signals a resync periodically on a healthy connection too, for notifications that were never sent', async () => {
    const { pubsub } = open(30);
    const hears = ear();
    pubsub.subscribe(pairs, 'a', hears);
    await until(() => hears.resyncs() >= 4);
    await pubsub.close();
    const last = hears.resyncs();
    await delay(100);
    expect(hears.resyncs()).toBe(last);
  });
});
