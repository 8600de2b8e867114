import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createLeasedLookup } from '#src/infra/postgres/batching/leased-lookup.ts';
import { readLeaseMs } from '#src/infra/timing/read-leases.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const later = (ms: number) => vi.advanceTimersByTime(ms);

/** Resolves when a read in the background has ended. */
const untilRead = async () => {
  for (let turns = 0; turns < 10; turns += 1) await nextTurn();
};

/** A lookup of what is there now, and how often it was read. */
function createLookup(there: { value: string | null; validMs?: number }) {
  const read = vi.fn<(items: string[]) => Promise<({ value: string } | null)[]>>(async (items) =>
    items.map(() => (there.value === null ? null : { value: there.value })),
  );
  const ask = createLeasedLookup({
    toKey: (item: string) => item,
    read,
    most: 10,
    validMs: () => there.validMs ?? Infinity,
  });
  return { read, ask: async (how?: { anew: boolean }) => (await ask('a', how))?.value ?? null };
}

describe('a leased lookup', () => {
  test('answers from one read until its lease is over', async () => {
    const there = { value: 'old' };
    const { ask, read } = createLookup(there);
    expect(await ask()).toBe('old');
    there.value = 'new';
    later(readLeaseMs / 2 - 1);
    expect(await ask()).toBe('old');
    expect(read).toHaveBeenCalledTimes(1);
    later(readLeaseMs / 2 + 1);
    expect(await ask()).toBe('new');
  });

  test('starts the next read after half of a lease, once, and does not wait for it', async () => {
    const there = { value: 'old' };
    const { ask, read } = createLookup(there);
    await ask();
    there.value = 'new';
    later(readLeaseMs / 2);
    expect([await ask(), await ask()]).toEqual(['old', 'old']);
    await untilRead();
    expect(await ask()).toBe('new');
    expect(read).toHaveBeenCalledTimes(2);
  });

  test('does not extend a lease by a failed read', async () => {
    const { ask, read } = createLookup({ value: 'old' });
    await ask();
    later(readLeaseMs / 2);
    read.mockRejectedValueOnce(new Error('It is away.'));
    expect(await ask()).toBe('old');
    await untilRead();
    expect(read).toHaveBeenCalledTimes(2);
    later(readLeaseMs / 2);
    read.mockRejectedValueOnce(new Error('It is away.'));
    await expect(ask()).rejects.toThrow('It is away.');
  });

  test('reads a missing item again each time', async () => {
    const there: { value: string | null } = { value: null };
    const { ask } = createLookup(there);
    expect(await ask()).toBeNull();
    there.value = 'new';
    expect(await ask()).toBe('new');
    later(readLeaseMs / 2);
    there.value = null;
    expect(await ask({ anew: true })).toBeNull();
    expect(await ask()).toBeNull();
  });

  test('does not reuse an answer that is no longer valid', async () => {
    const there = { value: 'old', validMs: 10 };
    const { ask } = createLookup(there);
    await ask();
    there.value = 'new';
    later(10);
    expect(await ask()).toBe('new');
  });

  test('reads again for a caller that asks for it', async () => {
    const there = { value: 'old' };
    const { ask } = createLookup(there);
    await ask();
    there.value = 'new';
    expect(await ask({ anew: true })).toBe('new');
    expect(await ask()).toBe('new');
  });
});
