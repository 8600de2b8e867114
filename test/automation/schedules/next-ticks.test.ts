import { describe, expect } from 'vitest';
import { nextTicks } from '#src/automation/schedules/next-ticks.rules.ts';
import { cachedTicks } from '#src/infra/cron/ticks.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

interface Answer {
  nextTicks: string[];
}
const query = `query ($cron: String!, $timezone: String! = "UTC", $count: Int! = 5) {
  nextTicks(cron: $cron, timezone: $timezone, count: $count)
}`;

describe('the next ticks of a schedule that is not saved', () => {
  test('are those at which it would fire', async () => {
    const schedule = { cron: '30 6 * * 1-5', timezone: 'Europe/Berlin' };
    const { data, errors } = await api.graphql<Answer>(query, { ...schedule, count: 3 }, { roles: ['user'] });
    expect(errors).toBeUndefined();
    const [first, second, third] = data.nextTicks.map((at) => Date.parse(at));
    expect(data.nextTicks).toHaveLength(3);
    expect(first).toBeGreaterThan(Date.now());
    const { next } = cachedTicks(schedule.cron, schedule.timezone);
    expect(second).toBe(next(first as number));
    expect(third).toBe(next(second as number));
  });

  test('follow the clock of the zone', () => {
    const ticks = nextTicks({ cron: '0 9 * * *', timezone: 'Europe/Berlin', count: 2 }, Date.UTC(2026, 2, 28));
    expect(ticks.map((at) => at.toISOString())).toEqual(['2026-03-28T08:00:00.000Z', '2026-03-29T07:00:00.000Z']);
  });

  test('reach ten years ahead', () => {
    const leapDays = nextTicks({ cron: '0 0 29 2 *', timezone: 'UTC', count: 100 }, Date.UTC(2026, 0, 1));
    expect(leapDays.map((at) => at.getUTCFullYear())).toEqual([2028, 2032]);
  });

  test.each([
    ['a cron of three fields', { cron: '* * *' }, 'cron', 'Write five fields'],
    ['a day that does not exist', { cron: '0 0 31 2 *' }, 'cron', 'names a day that its month does not have'],
    [
      'a day that is not in any of its months',
      { cron: '0 0 31 4,6 *' },
      'cron',
      'names a day that its month does not have',
    ],
    ['a minute that does not exist', { cron: '61 * * * *' }, 'cron', 'has 61 in a field that takes 0-59'],
    ['a cron that is too long', { cron: '1,'.repeat(100) }, 'cron', '120'],
    ['an unknown zone', { cron: '* * * * *', timezone: 'Mars/Olympus' }, 'timezone', 'IANA'],
    ['no ticks', { cron: '* * * * *', count: 0 }, 'count', '1'],
    ['too many ticks', { cron: '* * * * *', count: 101 }, 'count', '100'],
  ])('are refused for %s, with the field and what to do', async (_what, variables, field, message) => {
    const { errors } = await api.graphql(query, variables);
    expect(errors).toMatchObject([
      { extensions: { code: 'VALIDATION_FAILED', fields: { [field]: [expect.stringContaining(message)] } } },
    ]);
  });
});
