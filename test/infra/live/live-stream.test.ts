import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  compact,
  type LiveSink,
  LiveStream,
  maxWaiting,
  openIterable,
  openUntil,
} from '#src/infra/live/live-stream.ts';

interface Numbered {
  n: number;
  supersedes?: string;
}

/** A source that is pushed by hand and counts how often it was closed. */
function manual() {
  const sinks: LiveSink<Numbered>[] = [];
  const state = { closed: 0 };
  const open = (sink: LiveSink<Numbered>) => {
    sinks.push(sink);
    return { close: () => void (state.closed += 1) };
  };
  return {
    open,
    state,
    push: (event: Numbered) => sinks[0]?.event(event),
    end: (error?: Error) => sinks[0]?.end(error),
  };
}

async function collect(stream: AsyncIterable<Numbered>): Promise<number[]> {
  const seen: number[] = [];
  for await (const { n } of stream) seen.push(n);
  return seen;
}

describe('compacting the backlog of a slow reader', () => {
  const events = fc.array(
    fc.record(
      { n: fc.nat(), supersedes: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }) },
      { requiredKeys: ['n'] },
    ),
    { maxLength: 400 },
  );

  test('keeps the last event of every key and every event without one, in order, and names the rest', () => {
    fc.assert(
      fc.property(events, (given) => {
        const waiting = [...given] as Numbered[];
        const dropped = compact(waiting);
        const last = new Map(given.map((event) => [event.supersedes, event]));
        expect(waiting).toEqual(
          given.filter((event) => event.supersedes === undefined || last.get(event.supersedes) === event),
        );
        expect(new Set([...waiting, ...(dropped ?? [])])).toEqual(new Set(given));
      }),
    );
  });

  test('fails if it would not free half of the backlog', () => {
    const waiting = Array.from({ length: maxWaiting }, (_, n) => ({ n, supersedes: String(n) }));
    expect(compact(waiting)).toBeUndefined();
    expect(waiting).toHaveLength(maxWaiting);
  });
});

describe('a live stream read as an async iterable', () => {
  test('yields what was pushed, in order, and closes its source at the end', async () => {
    const source = manual();
    const reading = collect(new LiveStream(source.open));
    await delay(1);
    for (let n = 0; n < 50; n += 1) source.push({ n });
    await delay(1);
    source.push({ n: 50 });
    source.end();
    expect(await reading).toEqual(Array.from({ length: 51 }, (_, n) => n));
    expect(source.state.closed).toBeGreaterThan(0);
  });

  test('closes its source immediately when its reader leaves while it waits', async () => {
    const source = manual();
    const iterator = new LiveStream(source.open)[Symbol.asyncIterator]();
    const next = iterator.next();
    await iterator.return?.();
    expect(source.state.closed).toBe(1);
    expect(await next).toEqual({ done: true, value: undefined });
  });

  test('passes the error of an early end to its reader, after earlier events', async () => {
    const source = manual();
    const iterator = new LiveStream(source.open)[Symbol.asyncIterator]();
    source.push({ n: 1 });
    source.end(new Error('Gone.'));
    expect(await iterator.next()).toMatchObject({ value: { n: 1 } });
    await expect(iterator.next()).rejects.toThrow('Gone.');
    expect(await iterator.next()).toMatchObject({ done: true });
  });

  test('ends a reader with a backlog of more than a thousand keys', async () => {
    const source = manual();
    const iterator = new LiveStream(source.open)[Symbol.asyncIterator]();
    for (let n = 0; n <= maxWaiting; n += 1) source.push({ n });
    for (let n = 0; n < maxWaiting; n += 1) expect(await iterator.next()).toMatchObject({ value: { n } });
    await expect(iterator.next()).rejects.toThrow('faster than they were read');
  });
});

describe('the end of a stream', () => {
  test('comes with its error at its time, and not before', async () => {
    const source = manual();
    const begun = Date.now();
    const stream = new LiveStream(openUntil(source.open, begun + 60, () => new Error('Late.')));
    await expect(collect(stream)).rejects.toThrow('Late.');
    expect(Date.now() - begun).toBeGreaterThanOrEqual(58);
    expect(source.state.closed).toBeGreaterThan(0);
  });

  test('is that of the source if that comes first', async () => {
    const source = manual();
    const reading = collect(new LiveStream(openUntil(source.open, Date.now() + 60_000, () => new Error('Late.'))));
    await delay(1);
    source.end();
    expect(await reading).toEqual([]);
  });
});

describe('any other async iterable as a source', () => {
  test('is read only while there is room, and is closed when its reader leaves', async () => {
    let made = 0;
    let left = false;
    async function* numbers(): AsyncGenerator<Numbered> {
      try {
        for (;;) yield { n: (made += 1) };
      } finally {
        left = true;
      }
    }
    const iterator = new LiveStream(openIterable(numbers()))[Symbol.asyncIterator]();
    for (let n = 1; n <= 10; n += 1) expect(await iterator.next()).toMatchObject({ value: { n } });
    await delay(20);
    expect(made).toBeLessThanOrEqual(maxWaiting);
    await iterator.return?.();
    await delay(5);
    expect(left).toBe(true);
  });
});
