import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLogger } from '#src/infra/logs/logger.ts';
import { createRepeatedWarning } from '#src/infra/logs/repeated-warning.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open() {
  const lines: { reason?: string; count?: number; err?: { stack: string } }[] = [];
  const log = createLogger({
    level: 'info',
    destination: { write: (line) => void lines.push(JSON.parse(line) as object) },
  });
  const warn = createRepeatedWarning('Runs could not be claimed; retrying.');
  return { lines, warn: (error: Error) => warn(log, error) };
}

test('an outage of three seconds, found forty times, is logged once a second with its count and no stack', async () => {
  const { lines, warn } = open();
  const outage = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  for (let found = 0; found < 40; found += 1) {
    warn(outage);
    await vi.advanceTimersByTimeAsync(75);
  }
  await vi.advanceTimersByTimeAsync(5_000);
  expect(lines.length).toBeLessThanOrEqual(4);
  expect(lines.map(({ count = 0 }) => count).reduce((total, count) => total + count)).toBe(40);
  for (const line of lines) {
    expect(line).toMatchObject({ reason: 'connect ECONNREFUSED' });
    expect(line).not.toHaveProperty('err');
  }
});

test('a bug is logged each time, with its stack', () => {
  const { lines, warn } = open();
  for (let found = 0; found < 3; found += 1) warn(new TypeError('undefined is not a function'));
  expect(lines.map(({ err }) => err?.stack)).toEqual(Array(3).fill(expect.stringContaining('TypeError')));
});
