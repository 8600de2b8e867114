import { afterEach, expect, test, vi } from 'vitest';
import { parseInstant } from '#src/infra/text/instant-text.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

test.each([
  ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31T12:00:00.123456+02:00', '2026-01-31T10:00:00.123Z'],
  // Nobody says which zone, and it must not be the machine's.
  ['2026-07-31T12:00:00', '2026-07-31T12:00:00.000Z'],
  ['0001-01-01', '0001-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
])('%s is %s in every zone', (text, instant) => {
  for (const zone of ['UTC', 'America/New_York', 'Asia/Tokyo']) {
    vi.stubEnv('TZ', zone);
    expect([zone, new Date(2026, 0).getTimezoneOffset() === 0]).toEqual([zone, zone === 'UTC']);
    expect(parseInstant(text).toISOString()).toBe(instant);
  }
});

test.each([
  'soon',
  '',
  1,
  null,
  '2026-02-30',
  '2026-13-01',
  '2026-01-31 12:00',
  '2026-01-31junk',
  '0000-12-31',
  '0001-01-01T00:00:00+14:00',
  '9999-12-31T23:59:59-14:00',
  '+275760-09-13T00:00:00Z',
])('%j is not an instant', (value) => {
  expect(() => parseInstant(value)).toThrow(/^Use an ISO 8601 instant/);
});
