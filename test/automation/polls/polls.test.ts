import { expect } from 'vitest';
import { startDuePolls } from '#src/automation/polls/due-polls.service.ts';
import { runPoll } from '#src/automation/polls/run-poll.service.ts';
import { updateTrigger } from '#src/automation/triggers/triggers.service.ts';
import { addCallPackage } from '#test/automation/connectors/calls/call-package.ts';
import { test } from '#test/setup/app-test.ts';
import {
  actor,
  answer,
  firedIds,
  firedPayloads,
  makePoll,
  poll,
  pollConfigFor,
  quick,
  readPoll,
  startPolledApi,
} from './polled-api.ts';

const at = (minute: number, second = 0): string => new Date(Date.UTC(2026, 0, 31, 12, minute, second)).toISOString();

const row = (id: number | string, minute: number, more: object = {}) => ({ id, updated_at: at(minute), ...more });

test('a poll fires each record once, and a changed one again', async ({ api }) => {
  const { rows, url } = await startPolledApi(api);
  const made = await makePoll(api, pollConfigFor(url));
  rows.push(row(1, 0), row(2, 1), row(3, 2), row(4, 3), row(5, 4));
  expect(await poll(api, made)).toMatchObject({ watermark: at(4), sweep: null, last_error: null, lease: null });
  expect(await firedIds(api, made)).toEqual([1, 2, 3, 4, 5]);
  expect((await firedPayloads(api, made))[0]).toEqual({ polled_at: expect.any(String), record: row(1, 0) });
  await poll(api, made);
  expect(await firedIds(api, made)).toHaveLength(5);
  rows[1] = row(2, 10, { total: 7 });
  rows.splice(2, 1);
  expect(await poll(api, made)).toMatchObject({ watermark: at(10), records_fired: 6 });
  expect(await firedIds(api, made)).toEqual([1, 2, 3, 4, 5, 2]);
});

test('records with the same time are fired if they fill more than a page, and if they appear later', async ({
  api,
}) => {
  const { rows, url } = await startPolledApi(api);
  const made = await makePoll(api, pollConfigFor(url));
  rows.push(...[1, 2, 3, 4, 5, 6, 7].map((id) => row(id, 5)), row(8, 6));
  expect(await poll(api, made)).toMatchObject({ watermark: at(6), last_error: null });
  expect(await firedIds(api, made)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  rows.push(row(9, 6), row(10, 5, { total: 1 }));
  await poll(api, made);
  expect(new Set((await firedIds(api, made)).slice(8))).toEqual(new Set([9, 10]));
});

test('the records of one page are split into runs of the batch size', async ({ api }) => {
  const { rows, url } = await startPolledApi(api);
  const made = await makePoll(api, pollConfigFor(url, { batch: 2 }));
  rows.push(row('a\0b', 0), row('10000000000000000001', 1), row('c', 2));
  await poll(api, made);
  expect((await firedPayloads(api, made)).map(({ records }) => records?.map(({ id }) => id))).toEqual([
    ['a\uFFFDb', '10000000000000000001'],
    ['c'],
  ]);
});

test('pages that fail are asked again, and a poll that failed continues at its page', async ({ api }) => {
  const { rows, instead, queries, url } = await startPolledApi(api);
  const made = await makePoll(api, pollConfigFor(url, {}, { order: 'none' }));
  rows.push(row(1, 0), row(2, 1), row(3, 2));
  const down = answer(503, '<html>down</html>');
  instead.push(down, down);
  expect(await poll(api, made)).toMatchObject({ last_error: null, records_fired: 3 });
  rows.push(row(4, 3), row(5, 4), row(6, 5));
  // The first page is answered; the second one is not, in any of the attempts.
  instead.push(answer(200, JSON.stringify({ data: rows.slice(1, 3) }), { 'content-type': 'application/json' }));
  instead.push(down, down, down, down);
  const failed = await poll(api, made);
  expect(failed).toMatchObject({
    failures: 1,
    last_error: 'GET 127.0.0.1 answered 503.'.replace('127.0.0.1', new URL(url).host),
  });
  expect(failed.retry_seconds).toBeGreaterThan(50);
  expect(failed.watermark).toBe(at(2));
  queries.length = 0;
  expect(await poll(api, made)).toMatchObject({ failures: 0, last_error: null, watermark: at(5) });
  expect(queries[0]?.get('offset')).toBe('1');
  expect(await firedIds(api, made)).toEqual([1, 2, 3, 4, 5, 6]);
});

test('an API that answers HTML, 429 for an hour, or slowly is asked again later', async ({ api }) => {
  const { rows, instead, url } = await startPolledApi(api);
  const made = await makePoll(api, pollConfigFor(url));
  rows.push(row(1, 0));
  const html = answer(200, '<html>maintenance</html>');
  instead.push(html, html, html, html);
  const first = await poll(api, made);
  expect(first.last_error).toMatch(/text instead of JSON/);
  expect(first.retry_seconds).toBeGreaterThan(50);
  instead.push(answer(429, '', { 'retry-after': '3600' }));
  const second = await poll(api, made);
  expect(second.last_error).toMatch(/answered 429/);
  expect(second.retry_seconds).toBeGreaterThan(3_500);
  const silent = () => undefined;
  instead.push(silent, silent, silent, silent);
  const third = await poll(api, made, { pageMs: 50 });
  expect(third).toMatchObject({ failures: 3, last_error: 'The API did not answer a page within 0.05 s.' });
  const { rows: events } = await api.database.system.query<{ data: object }>(
    `SELECT data FROM outbox_events WHERE topic = 'poll.failed' AND data ->> 'trigger_id' = $1`,
    [String(made.triggerId)],
  );
  expect(events.map(({ data }) => data)).toMatchObject([{ failures: 3, name: 'Orders', last_success_at: null }]);
  expect(await poll(api, made)).toMatchObject({ failures: 0, last_error: null });
  expect(await firedIds(api, made)).toEqual([1]);
});

test('an operation with a number for the position gets a number', async ({ api }) => {
  const { rows, queries, url } = await startPolledApi(api);
  const style = { in: 'query', style: 'form', explode: true } as const;
  await addCallPackage(api, {
    namespace: 'polled',
    nodes: [
      {
        name: 'list',
        call: {
          method: 'GET',
          base_url: new URL(url).origin,
          path: '/orders',
          parameters: [{ field: 'after', name: 'after', ...style }],
          answers: [{ status: '200', branch: 'success' }],
        },
        config: [{ key: 'after', type: 'number' }],
      },
    ],
  });
  const watermark = { by: 'id', field: 'id', param: 'after', order: 'ascending' };
  const made = await makePoll(api, { ...pollConfigFor(url), node: { slug: 'polled:list' }, config: {}, watermark });
  rows.push(row(1, 0), row(2, 1));
  expect(await poll(api, made)).toMatchObject({ watermark: '2', last_error: null });
  rows.splice(0, 2, row(3, 2));
  expect(await poll(api, made)).toMatchObject({ watermark: '3', last_error: null });
  expect(queries.map((query) => query.get('after'))).toContain('2');
  expect(await firedIds(api, made)).toEqual([1, 2, 3]);
});

test('a worker that has lost the poll stores nothing, and another one continues', async ({ api }) => {
  const { rows, instead, url } = await startPolledApi(api);
  const made = await makePoll(api, pollConfigFor(url));
  rows.push(row(1, 0), row(2, 1), row(3, 2));
  instead.push((response) => {
    void api.database.system
      .query('UPDATE polls SET lease = gen_random_uuid() WHERE trigger_id = $1', [made.triggerId])
      .then(() => answer(200, JSON.stringify({ data: rows }), { 'content-type': 'application/json' })(response));
  });
  expect(await poll(api, made)).toMatchObject({ pages_read: 0, records_fired: 0, last_error: null });
  // The other worker has died.
  await api.database.system.query('UPDATE polls SET lease_until = now() WHERE trigger_id = $1', [made.triggerId]);
  await runPoll(api.deps, { tenantId: 'acme-shop', triggerId: made.triggerId }, quick);
  expect(await firedIds(api, made)).toEqual([1, 2, 3]);
});

test('a poll waits while the runs that it started are queued', async ({ api }) => {
  const { rows, url } = await startPolledApi(api);
  const made = await makePoll(api, pollConfigFor(url));
  rows.push(row(1, 0), row(2, 1), row(3, 2), row(4, 3));
  expect(await poll(api, made, { maxQueued: 2 })).toMatchObject({ waits: true, records_fired: 2, last_error: null });
  expect(await poll(api, made)).toMatchObject({ waits: false, records_fired: 4 });
});

test('a time in the future, from another zone or a wrong clock, does not take the watermark with it', async ({
  api,
}) => {
  const { rows, url } = await startPolledApi(api);
  const made = await makePoll(api, pollConfigFor(url));
  rows.push({ id: 1, updated_at: '2999-01-01T00:00:00Z' });
  const { watermark } = await poll(api, made);
  expect(Date.parse(watermark ?? '')).toBeLessThanOrEqual(Date.now() + 1_000);
  rows.push({ id: 2, updated_at: new Date().toISOString() });
  await poll(api, made);
  expect(await firedIds(api, made)).toEqual([1, 2]);
});

test('a list that repeats its pages is given up with a message, and begins again next time', async ({ api }) => {
  const { rows, url } = await startPolledApi(api);
  const config = { url, paging: { by: 'offset', param: 'ignored' } };
  const made = await makePoll(api, pollConfigFor(url, { config }, { order: 'none' }));
  rows.push(row(1, 0), row(2, 1), row(3, 2));
  const { last_error: error, sweep } = await poll(api, made);
  expect(error).toMatch(/same page came twice|changes faster/);
  expect(sweep).toBeNull();
  expect(await firedIds(api, made)).toEqual([1, 2]);
});

test('an API that does not read the watermark is refused before its list is read once for each page', async ({
  api,
}) => {
  const { rows, queries, url } = await startPolledApi(api);
  const made = await makePoll(api, pollConfigFor(url, {}, { param: 'query.sinse' }));
  for (let day = 0; day < 40; day += 1) rows.push(row(day, day * 24 * 60));
  const { last_error: error } = await poll(api, made);
  expect(error).toMatch(/does not read query\.sinse\. Correct watermark\.param/);
  expect(queries.length).toBeLessThan(20);
});

test('a due poll is requested and planned again, and one of a switched-off trigger is not', async ({ api }) => {
  const { url } = await startPolledApi(api);
  const made = await makePoll(api, pollConfigFor(url, { cron: null, interval_seconds: 60 }));
  const next = async () => {
    await startDuePolls(api.deps);
    const { rows } = await api.database.system.query<{ asked: boolean; planned: boolean }>(
      'SELECT requested_at IS NOT NULL AS asked, next_at > now() AS planned FROM polls WHERE trigger_id = $1',
      [made.triggerId],
    );
    return rows[0];
  };
  expect(await next()).toEqual({ asked: true, planned: true });
  await updateTrigger(api.deps, actor, { id: BigInt(made.triggerId) }, { active: false });
  expect(await next()).toEqual({ asked: false, planned: null });
});

test('a changed config begins the sweep again, and another watermark at its start', async ({ api }) => {
  const { rows, url } = await startPolledApi(api);
  const made = await makePoll(api, pollConfigFor(url));
  rows.push(row(1, 0));
  await poll(api, made);
  const change = (config: object) => updateTrigger(api.deps, actor, { id: BigInt(made.triggerId) }, { config });
  await change(pollConfigFor(url, { batch: 5 }));
  expect(await readPoll(api, made.triggerId)).toMatchObject({ watermark: at(0) });
  await change(pollConfigFor(url, {}, { by: 'id', field: 'id', start: 17 }));
  expect(await readPoll(api, made.triggerId)).toMatchObject({ watermark: '17' });
});
