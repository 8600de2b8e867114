import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { timeScale } from '#console/automation/runs/time-scale.ts';
import { type Attempt, barsOf, matchesFilter, timelineRows } from '#console/automation/runs/timeline-rows.ts';

const start = Date.parse('2026-11-27T10:00:00.000Z');
const iso = (ms: number): string => new Date(start + ms).toISOString();
const made = (path: string, from: number, to: number | null, more: Partial<Attempt> = {}): Attempt => ({
  id: `${path}:${more.attempt ?? 1}`,
  path,
  nodeId: path.slice(path.lastIndexOf('/') + 1),
  attempt: 1,
  status: to === null ? 'RUNNING' : 'SUCCEEDED',
  startedAt: iso(from),
  completedAt: to === null ? null : iso(to),
  wakeAt: null,
  ...more,
});

describe('the rows of a timeline', () => {
  test('hold the attempts at a place, in the order in which the places began', () => {
    const rows = timelineRows([
      made('send', 900, 1_000, { attempt: 2 }),
      made('each/3/map', 200, 300),
      made('send', 400, 500, { status: 'FAILED' }),
      made('read', 0, 100),
    ]);
    expect(rows.map(({ path, name, round, attempts }) => [path, name, round, attempts.length])).toEqual([
      ['read', 'read', '', 1],
      ['each/3/map', 'map', 'each/3/', 1],
      ['send', 'send', '', 2],
    ]);
    expect(rows[2]?.attempts.map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  test('keep the rows of a round together, where rounds run side by side', () => {
    const rows = timelineRows([
      made('each', 0, 900),
      made('each/0/a', 10, 20),
      made('each/1/a', 11, 20),
      made('each/0/b', 21, 30),
      made('each/1/b', 22, 30),
      made('end', 900, 901),
    ]);
    expect(rows.map(({ path }) => path)).toEqual(['each', 'each/0/a', 'each/0/b', 'each/1/a', 'each/1/b', 'end']);
  });

  test('begin a loop with its first round, though the server starts it anew after each wait', () => {
    const rows = timelineRows([
      made('map', 0, 1),
      made('each/0/pause', 2, 20),
      made('each/1/pause', 21, 40),
      made('each', 41, null),
      made('each/2/pause', 42, null),
    ]);
    expect(rows.map(({ path }) => path)).toEqual(['map', 'each', 'each/0/pause', 'each/1/pause', 'each/2/pause']);
    expect(rows[1]?.attempts).toMatchObject([{ startedAt: iso(2) }]);
  });

  test('show the wait between a failed attempt and the next as a bar of its own', () => {
    const [row] = timelineRows([
      made('send', 0, 100, { status: 'FAILED', wakeAt: iso(500) }),
      made('send', 500, 600, { attempt: 2, status: 'FAILED', wakeAt: iso(1_000) }),
    ]);
    if (!row) expect.fail('no row');
    const bars = barsOf(row, (at) => at - start, start + 800);
    expect(bars.map(({ kind, from, to }) => [kind, from, to])).toEqual([
      ['attempt', 0, 100],
      ['retry', 100, 500],
      ['attempt', 500, 600],
      ['retry', 600, 800],
    ]);
  });

  test('draw what has not ended up to now, and never backwards', () => {
    const [row] = timelineRows([made('wait', 100, null)]);
    if (!row) expect.fail('no row');
    expect(barsOf(row, (at) => at - start, start + 700)).toMatchObject([{ from: 100, to: 700 }]);
    // The clock of the browser may be behind.
    expect(barsOf(row, (at) => at - start, start + 50)).toMatchObject([{ from: 100, to: 100 }]);
  });

  test('are narrowed as the server narrows them', () => {
    const attempt = made('each/3/map', 0, 1);
    expect(matchesFilter(attempt, {})).toBe(true);
    expect(matchesFilter(attempt, { nodePath: 'each/map', pathPrefix: 'each/3/', status: ['SUCCEEDED'] })).toBe(true);
    expect(matchesFilter(attempt, { pathPrefix: 'each/31/' })).toBe(false);
    expect(matchesFilter(attempt, { status: ['FAILED'] })).toBe(false);
    expect(matchesFilter(attempt, { nodePath: 'each' })).toBe(false);
    expect(matchesFilter(attempt, { nodePath: 'map' })).toBe(false);
    expect(matchesFilter(made('each/3/7/12/map', 0, 1), { nodePath: 'each/7/map' })).toBe(true);
    expect(matchesFilter(attempt, { status: [] })).toBe(true);
  });
});

describe('the scale of a timeline', () => {
  test('is even where nothing waits long', () => {
    const { placeOf, breaks } = timeScale([0, 10, 1_000]);
    expect([0, 10, 500, 1_000].map(placeOf)).toEqual([0, 0.01, 0.5, 1]);
    expect(breaks).toEqual([]);
  });

  test('cuts a wait of three days short, so that two seconds of work are seen', () => {
    const days = 3 * 86_400_000;
    const { placeOf, breaks } = timeScale([0, 1_000, days, days + 1_000]);
    expect(breaks).toEqual([{ from: 0.35, to: expect.closeTo(0.65), ms: days - 1_000 }]);
    expect(placeOf(500)).toBeCloseTo(0.175);
    expect(placeOf(days + 1_000)).toBeCloseTo(1);
  });

  test('leaves a long step as it is while it is all there is', () => {
    const { placeOf, breaks } = timeScale([0, 600_000]);
    expect(breaks).toEqual([]);
    expect(placeOf(600_000)).toBe(1);
  });

  test('never goes backwards, and stays within the width', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 1e9 }), { maxLength: 12 }), (instants) => {
        const { placeOf } = timeScale(instants);
        const places = instants.toSorted((a, b) => a - b).map(placeOf);
        for (const [index, place] of places.entries()) {
          expect(place).toBeGreaterThanOrEqual(places[index - 1] ?? 0);
          expect(place).toBeLessThanOrEqual(1 + 1e-9);
        }
      }),
    );
  });
});
