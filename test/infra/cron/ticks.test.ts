import { CronExpressionParser } from 'cron-parser';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cronFaults } from '#src/infra/cron/cron-faults.ts';
import { cachedTicks } from '#src/infra/cron/ticks.ts';
import { computesLong } from '#test/setup/timeouts.ts';
import { between, findChanges, readZone, ticksByMinute, type ZoneMinutes } from './cron-oracle.ts';

const zones = [
  'UTC',
  'Europe/Berlin',
  'Europe/London',
  'America/New_York',
  'America/St_Johns',
  'America/Santiago',
  'Africa/Casablanca',
  'Africa/Cairo',
  'Asia/Kathmandu',
  'Asia/Beirut',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
];

const crons = [
  '* * * * *',
  '*/5 * * * *',
  '*/7 * * * *',
  '0 * * * *',
  '30 * * * *',
  '15,45 * * * *',
  '59 * * * *',
  '0 */2 * * *',
  '30 1-23/2 * * *',
  '* 2 * * *',
  '* 1-3 * * *',
  '*/10 2 * * *',
  '*/15 1-3 * * *',
  '*/20 0,23 * * *',
  '0 0 * * *',
  '30 0 * * *',
  '59 23 * * *',
  '30 1 * * *',
  '45 1 * * *',
  '0 2 * * *',
  '15 2 * * *',
  '30 2 * * *',
  '45 2 * * *',
  '59 2 * * *',
  '0 3 * * *',
  '15 3 * * *',
  '0,30 2,3 * * *',
  '5,10,50 1,2,3 * * *',
  '0 9 * * MON-FRI',
  '30 2 * * SUN',
  '30 2 * * SAT,SUN',
  '0 2 * * 0',
  '30 0 * * 7',
  '0 0 1 * *',
  '30 2 29 3 *',
  '15 1 31 * *',
  '30 2 25 10 SUN',
  '0 12 1 JAN,JUL *',
  '0 0 29 2 *',
  '30 23 * MAR-APR FRI',
];

/** Crons with most ticks are followed only around clock changes: elsewhere all hours are alike, which `0 * * * *` shows. */
const dense = [
  '* * * * *',
  '*/5 * * * *',
  '*/7 * * * *',
  '30 * * * *',
  '15,45 * * * *',
  '59 * * * *',
  '0 */2 * * *',
  '30 1-23/2 * * *',
  '* 2 * * *',
  '* 1-3 * * *',
  '*/10 2 * * *',
  '*/15 1-3 * * *',
  '*/20 0,23 * * *',
  '5,10,50 1,2,3 * * *',
];
const day = 1_440;

/** The four days around each of a clock's changes, and four in which it does not change. */
const aroundChanges = (clock: ZoneMinutes): ZoneMinutes[] =>
  [2 * day, ...findChanges(clock)].map((change) => between(clock, change - 2 * day, change + 2 * day));

/** cron-parser refuses a list that names a value twice; here it means the same as once. */
function isCron(cron: string): boolean {
  try {
    return CronExpressionParser.parse(cron).hasNext();
  } catch {
    return false;
  }
}

function* firstTicks(cron: string, from: number, count: number): Generator<number | undefined> {
  let at: number | undefined = from;
  for (let n = 0; n < count && at !== undefined; n += 1) yield (at = cachedTicks(cron, 'UTC').next(at));
}

describe('the ticks of a cron', () => {
  test.each(zones)('equal those found minute by minute, over a year in %s', computesLong, (zone) => {
    const whole = readZone(zone, 1);
    const parts = aroundChanges(whole);
    for (const [cron, clock] of crons.flatMap((cron) =>
      (dense.includes(cron) ? parts : [whole]).map((clock) => [cron, clock] as const),
    )) {
      const end = clock.start + clock.walls.length * 60_000;
      const ticks = cachedTicks(cron, zone);
      let [missing, more] = [0, 0];
      // Virtual time: from each tick to the next one it announces.
      let announced = ticks.next(clock.start - 1) ?? Infinity;
      for (const tick of ticksByMinute(cron, clock)) {
        while (announced < tick) {
          more += 1;
          announced = ticks.next(announced) ?? Infinity;
        }
        if (announced > tick) missing += 1;
        else announced = ticks.next(announced) ?? Infinity;
      }
      expect({ cron, missing, more, over: announced >= end }).toEqual({ cron, missing: 0, more: 0, over: true });
    }
  });

  test.each(['Europe/Berlin', 'Australia/Lord_Howe', 'America/St_Johns', 'Africa/Cairo'])(
    'are the same wherever one starts looking, in %s',
    computesLong,
    (zone) => {
      const clock = readZone(zone);
      const changes = findChanges(clock);
      expect(changes.length).toBeGreaterThanOrEqual(4);
      for (const cron of crons) {
        const sparse = dense.includes(cron) ? [] : [...ticksByMinute(cron, clock)];
        const ticks = cachedTicks(cron, zone);
        const wrong: object[] = [];
        for (const change of changes) {
          const at = clock.start + change * 60_000;
          const all = dense.includes(cron)
            ? [...ticksByMinute(cron, between(clock, change - 2 * day, change + 2 * day))]
            : sparse;
          const near = all.findIndex((tick) => tick > at - 6 * 3_600_000);
          if (near < 0) continue;
          let expected = near;
          for (let from = at - 4 * 3_600_000; from < at + 4 * 3_600_000; from += 150_000) {
            while ((all[expected] ?? Infinity) <= from) expected += 1;
            if (all[expected] === undefined) break;
            const next = ticks.next(from);
            if (next !== all[expected]) wrong.push({ from, next, expected: all[expected] });
          }
        }
        expect({ cron, wrong }).toEqual({ cron, wrong: [] });
      }
    },
  );

  test.each([
    [
      '30 2 * * *',
      'Europe/Berlin',
      '2026-03-28T12:00Z',
      '2026-03-29T01:00:00.000Z',
      'skipped: as the clock goes on at 03:00',
    ],
    ['0,30 2,3 * * *', 'Europe/Berlin', '2026-03-29T01:00Z', '2026-03-29T01:30:00.000Z', 'and no second time at 03:00'],
    [
      '30 2 * * *',
      'Europe/Berlin',
      '2026-10-25T01:10Z',
      '2026-10-26T01:30:00.000Z',
      'twice: not again in the second pass',
    ],
    [
      '30 * * * *',
      'Europe/Berlin',
      '2026-10-25T01:10Z',
      '2026-10-25T01:30:00.000Z',
      'hourly: again in the second pass',
    ],
    ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T12:00Z', '2026-10-03T15:30:00.000Z', 'half an hour is skipped'],
    ['0 9 * * *', 'Pacific/Apia', '2011-12-30T00:00Z', '2011-12-30T10:00:00.000Z', 'a whole day is skipped'],
    ['*/20 30 2 * * *', 'UTC', '2026-01-01T02:30:20Z', '2026-01-01T02:30:40.000Z', 'seconds'],
    ['0 0 29 2 *', 'UTC', '2097-01-01T00:00Z', '2104-02-29T00:00:00.000Z', 'no leap year for eight years'],
  ])('%s in %s after %s is %s (%s)', (cron, zone, after, expected) => {
    expect(new Date(cachedTicks(cron, zone).next(Date.parse(after)) ?? 0).toISOString()).toBe(expected);
  });

  test('equal those of cron-parser without clock changes, for any expression', () => {
    const list = (min: number, max: number) => {
      const number = fc.integer({ min, max });
      const range = fc.tuple(number, number).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
      const step = fc
        .tuple(fc.constantFrom('*', `${min}-${max}`), fc.integer({ min: 1, max: 20 }))
        .map((one) => one.join('/'));
      return fc.oneof(
        { weight: 3, arbitrary: fc.constant('*') },
        fc
          .array(fc.oneof(number.map(String), range, step), { minLength: 1, maxLength: 3 })
          .map((parts) => parts.join(',')),
      );
    };
    const days = fc.oneof(list(1, 28), fc.constant('L'));
    const weekdays = fc.oneof(list(0, 7), fc.constantFrom('5L', '1#2', 'MON-FRI', '?'));
    const expression = fc
      .tuple(list(0, 59), list(0, 59), list(0, 23), days, list(1, 12), weekdays)
      .map((one) => one.join(' '));
    const start = fc.date({ min: new Date('2024-01-01'), max: new Date('2030-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(expression, start, (cron, from) => {
        fc.pre(isCron(cron));
        const theirs = CronExpressionParser.parse(cron, { tz: 'UTC', currentDate: from });
        const ours = cachedTicks(cron, 'UTC');
        let at = from.getTime();
        for (let n = 0; n < 5; n += 1) {
          const expected = theirs.next().getTime();
          at = ours.next(at) ?? 0;
          expect(new Date(at).toISOString()).toBe(new Date(expected).toISOString());
        }
      }),
      { numRuns: 250 },
    );
  });

  test.each([
    ['0 9 * * 0,7', '0 9 * * 0'],
    ['0 9 * * 7,SUN', '0 9 * * 0'],
    ['1,1 * * * *', '1 * * * *'],
    ['5,*/5 * * * *', '*/5 * * * *'],
    ['0 1-3,2 * * *', '0 1-3 * * *'],
    ['0 0 L,L 1,1,JAN *', '0 0 L 1 *'],
    ['0 0 * * 5L,FRIL', '0 0 * * 5L'],
    [' 0  9 * * fri#2 ', '0 9 * * 5#2'],
  ])('of %s are those of %s', (given, plain) => {
    const from = Date.UTC(2026, 0, 1);
    const ticks = (cron: string) => [...firstTicks(cron, from, 20)];
    expect(ticks(given)).toEqual(ticks(plain));
    expect(cronFaults({ cron: given, timezone: 'UTC' })).toEqual({});
  });

  test.each([
    ['', 'Write five fields'],
    ['* * * *', 'Write five fields'],
    ['* * * * * * *', 'Write five fields'],
    ['@reboot', 'Write five fields'],
    ['60 * * * *', 'has 60 in a field that takes 0-59 (minute)'],
    ['* 24 * * *', 'takes 0-23 (hour)'],
    ['* * 0 * *', 'takes 1-31 (day of month)'],
    ['* * * 13 *', 'takes 1-12 (month)'],
    ['* * * * 8', 'takes 0-7 (weekday)'],
    ['* * * * MONDAY', '"MONDAY" is not a weekday; it takes 0-7 or sun, mon, tue and so on.'],
    ['* * * JUNE *', '"JUNE" is not a month'],
    ['x * * * *', '"x" is not a minute'],
    ['-1 * * * *', 'is not a minute'],
    ['1.5 * * * *', 'is not a minute'],
    ['1, * * * *', 'a comma without a value'],
    ['1,,2 * * * *', 'a comma without a value'],
    ['*/0 * * * *', 'The step in "*/0"'],
    ['*/ * * * *', 'The step in "*/"'],
    ['1/2/3 * * * *', 'two steps'],
    ['1-2-3 * * * *', 'not a range'],
    ['** * * * *', 'is not a minute'],
    ['30-10 * * * *', 'as 30-59,0-10.'],
    ['* * * * FRI-SUN', 'as 5-6,0.'],
    ['H * * * *', 'H is not supported'],
    ['* * 15W * *', '"15W" is not a day of month'],
    ['* * * * L', '"L" is not a weekday'],
    ['* * * * 5#6', 'not a weekday of the month'],
    ['* * * * 1,2#3', 'not a weekday of the month'],
    ['* L * * *', '"L" is not a hour'],
    ['0 0 31 4 *', 'a day that its month does not have'],
    ['0 0 30 2 *', 'a day that its month does not have'],
  ])('do not exist for %j, in words of our own', (cron, message) => {
    expect(cronFaults({ cron, timezone: 'UTC' })).toEqual({ cron: [expect.stringContaining(message)] });
  });

  test('are refused with a sentence that says what to do, for any invalid text', () => {
    const part = fc.constantFrom(
      '*',
      '?',
      '1',
      '99',
      '-',
      '/',
      ',',
      '#',
      'L',
      'W',
      'H',
      'MON',
      'x',
      '1-5',
      ' ',
      '0',
      '@',
    );
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 14 }).map((parts) => parts.join('')),
        (cron) => {
          const [fault] = cronFaults({ cron, timezone: 'UTC' })['cron'] ?? [];
          expect(fault ?? '').not.toMatch(/constraint|validation|invalid|got value|undefined|NaN|Cron[A-Z]/i);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('are also found backwards', () => {
    const zone = 'Europe/Berlin';
    fc.assert(
      fc.property(fc.constantFrom(...crons), fc.integer({ min: 60, max: 40_000_000 }), (cron, seconds) => {
        const ticks = cachedTicks(cron, zone);
        const first = ticks.next(Date.UTC(2026, 2, 20)) as number;
        const before = first + seconds * 1_000;
        const last = ticks.lastFrom(first, before);
        expect(last).toBeGreaterThanOrEqual(first);
        expect(last).toBeLessThan(before);
        expect(last === first || ticks.next(last - 1) === last).toBe(true);
        expect(ticks.next(last) ?? Infinity).toBeGreaterThanOrEqual(before);
      }),
    );
  });
});
