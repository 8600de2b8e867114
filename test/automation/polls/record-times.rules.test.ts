import { expect, test } from 'vitest';
import type { timeFormats } from '#src/automation/polls/polls.inputs.ts';
import { readTime, repeatedMs, writeTime } from '#src/automation/polls/record-times.rules.ts';

type Format = (typeof timeFormats)[number];

const written = (format: Format, timezone: string) => ({ format, timezone });

test.each<[unknown, Format, string, string | undefined]>([
  ['2026-01-31T12:00:00Z', 'auto', 'UTC', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31T12:00:00.123456Z', 'auto', 'UTC', '2026-01-31T12:00:00.123Z'],
  ['2026-01-31T12:00:00+02:00', 'auto', 'America/New_York', '2026-01-31T10:00:00.000Z'],
  ['2026-01-31 12:00:00-0530', 'auto', 'UTC', '2026-01-31T17:30:00.000Z'],
  ['2026-01-31T12:00+01', 'auto', 'UTC', '2026-01-31T11:00:00.000Z'],
  ['2026-01-31 12:00:00', 'auto', 'UTC', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31 12:00:00', 'local', 'Europe/Berlin', '2026-01-31T11:00:00.000Z'],
  ['2026-07-31T12:00:00', 'local_iso', 'Europe/Berlin', '2026-07-31T10:00:00.000Z'],
  ['2026-07-31', 'date', 'Europe/Berlin', '2026-07-30T22:00:00.000Z'],
  // The first time occurs twice, and its first instant counts. The second one is skipped and becomes an instant before the change.
  ['2026-10-25 02:30:00', 'local', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
  ['2026-03-29 02:30:00', 'local', 'Europe/Berlin', '2026-03-29T00:30:00.000Z'],
  [1_769_860_800, 'auto', 'UTC', '2026-01-31T12:00:00.000Z'],
  [1_769_860_800_123, 'auto', 'UTC', '2026-01-31T12:00:00.123Z'],
  ['1769860800', 'unix', 'UTC', '2026-01-31T12:00:00.000Z'],
  [1_769_860_800.9, 'unix', 'UTC', '2026-01-31T12:00:00.900Z'],
  ['1769860800123', 'unix_ms', 'UTC', '2026-01-31T12:00:00.123Z'],
  ['/Date(1769860800123+0000)/', 'auto', 'UTC', '2026-01-31T12:00:00.123Z'],
  ['2026-12-31T23:59:60Z', 'auto', 'UTC', '2027-01-01T00:00:00.000Z'],
  ['20260131', 'auto', 'UTC', undefined],
  ['2026-02-30T12:00:00Z', 'auto', 'UTC', undefined],
  ['2026-13-01T12:00:00Z', 'auto', 'UTC', undefined],
  ['yesterday', 'auto', 'UTC', undefined],
  [null, 'auto', 'UTC', undefined],
  [1e300, 'auto', 'UTC', undefined],
  ['9'.repeat(400), 'unix', 'UTC', undefined],
])('%j is read as %s in %s', (value, format, timezone, instant) => {
  const at = readTime(value, written(format, timezone));
  expect(at === undefined ? undefined : new Date(at).toISOString()).toBe(instant);
});

test.each<[Format, string, string]>([
  ['auto', 'Europe/Berlin', '2026-07-31T10:00:01.999Z'],
  ['iso_seconds', 'Europe/Berlin', '2026-07-31T10:00:01Z'],
  ['local', 'Europe/Berlin', '2026-07-31 12:00:01'],
  ['local_iso', 'America/New_York', '2026-07-31T06:00:01'],
  ['date', 'Pacific/Auckland', '2026-07-31'],
  ['unix', 'UTC', '1785492001'],
  ['unix_ms', 'UTC', '1785492001999'],
])('as %s in %s, an instant is written as %s', (format, timezone, text) => {
  expect(writeTime(Date.parse('2026-07-31T10:00:01.999Z'), written(format, timezone))).toBe(text);
});

test('a written time is read as the same second or an earlier one, at any time of a year', () => {
  for (const timezone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'UTC'])
    for (const format of ['auto', 'iso_seconds', 'local', 'local_iso', 'date', 'unix', 'unix_ms'] as const)
      for (let at = Date.UTC(2026, 0, 1); at < Date.UTC(2027, 0, 1); at += 7 * 3_600_000) {
        const back = readTime(writeTime(at, written(format, timezone)), written(format, timezone)) as number;
        expect(back).toBeLessThanOrEqual(at);
        const twice = repeatedMs(at, written(format, timezone));
        expect(back).toBeGreaterThanOrEqual(at - (format === 'date' ? 25 * 3_600_000 : twice));
      }
});

test('a poll begins an hour earlier around the end of summer time, and at no other time', () => {
  const berlin = written('local', 'Europe/Berlin');
  expect(repeatedMs(Date.parse('2026-10-25T00:59:00Z'), berlin)).toBe(3_600_000);
  expect(repeatedMs(Date.parse('2026-10-25T03:00:00Z'), berlin)).toBe(3_600_000);
  expect(repeatedMs(Date.parse('2026-10-25T08:00:00Z'), berlin)).toBe(0);
  expect(repeatedMs(Date.parse('2026-03-29T01:00:00Z'), berlin)).toBe(0);
  expect(repeatedMs(Date.parse('2026-10-25T00:59:00Z'), written('unix', 'Europe/Berlin'))).toBe(0);
});
