import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { delaysMs, judge, readRetryAfter } from '#workers/commerce/webhooks/sending-rules.ts';

const fresh = { tries: 0, triesBefore: 0, once: false };
const unordered = { ordered: false };

describe('after a failed attempt', () => {
  test('the next follows after the delay of the schedule, within a fifth', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 8 }), fc.double({ min: 0, max: 1, noNaN: true }), (tries, random) => {
        const delay = delaysMs[tries + 1] as number;
        const { status, delayMs } = judge(
          { ...fresh, tries },
          { httpCode: 500 },
          { ordered: false, random: () => random },
        );
        expect(status).toBe('pending');
        expect(delayMs).toBeGreaterThanOrEqual(Math.floor(delay * 0.8));
        expect(delayMs).toBeLessThanOrEqual(Math.ceil(delay * 1.2));
      }),
    );
  });

  test('none follows the tenth, unless the destination is ordered', () => {
    expect(judge({ ...fresh, tries: 9 }, { httpCode: null }, unordered)).toMatchObject({
      status: 'failed',
      delayMs: null,
    });
    expect(judge({ ...fresh, tries: 9 }, { httpCode: null }, { ordered: true })).toMatchObject({ status: 'pending' });
    expect(judge({ tries: 19, triesBefore: 10, once: false }, { httpCode: null }, unordered).status).toBe('failed');
    expect(judge({ tries: 10, triesBefore: 10, once: false }, { httpCode: null }, unordered).status).toBe('pending');
    expect(judge({ ...fresh, once: true }, { httpCode: 500 }, { ordered: true }).status).toBe('failed');
  });

  test('the later of the schedule and Retry-After counts', () => {
    expect(judge(fresh, { httpCode: 429, retryAfterMs: 60_000 }, unordered).delayMs).toBe(60_000);
    expect(judge(fresh, { httpCode: 429, retryAfterMs: 1 }, unordered).delayMs).toBeGreaterThanOrEqual(4_000);
  });
});

const now = Date.parse('2026-03-01T00:00:00Z');
test.each<[number, string | undefined, number]>([
  [429, '120', 120_000],
  [503, '120', 120_000],
  [500, '120', 0],
  [429, undefined, 0],
  [429, 'Sun, 01 Mar 2026 00:01:00 GMT', 60_000],
  [429, 'Sat, 28 Feb 2026 00:00:00 GMT', 0],
  [429, 'soon', 0],
  [429, '-5', 0],
  [429, '999999999', 86_400_000],
])('a %i with Retry-After %s waits %i ms', (code, header, wait) => {
  expect(readRetryAfter(code, header, now)).toBe(wait);
});
