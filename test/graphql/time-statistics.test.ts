import pg from 'pg';
import { expect } from 'vitest';
import { createHistory } from '#test/automation/retention/history.ts';
import { insertRun, insertWorkflow } from '#test/automation/runs/run-rows.ts';
import { test } from '#test/setup/app-test.ts';
import type { Caller, TestApp } from '#test/setup/app.ts';

interface Bucket {
  from: string;
  until: string;
  [count: string]: unknown;
}
interface Series {
  key?: string;
  total: Record<string, unknown>;
  buckets: Bucket[];
}

const counts = {
  orderStats: 'orders cancelled net gross',
  deliveryStats: 'total delivered pending failed held attempts',
  importStats: 'unfinished completed failed cancelled rowsRead rowsWritten rowsUnchanged rowsRejected',
};
type Name = keyof typeof counts;
const keys: Record<Name, string> = {
  orderStats: 'key: currency',
  deliveryStats: 'destination { databaseId }',
  importStats: 'key: target',
};

/** A week with a clock change in Berlin: the night to 25 October has an hour more. */
const since = '2026-10-22T00:00:00Z';
const until = '2026-10-28T00:00:00Z';
const instants = [
  '2026-10-21T21:59:59.999Z',
  '2026-10-21T22:00:00.000Z',
  '2026-10-24T21:59:59.999Z',
  '2026-10-24T22:00:00.000Z',
  '2026-10-25T01:30:00.000Z',
  '2026-10-25T22:59:59.999Z',
  '2026-10-25T23:00:00.000Z',
  '2026-10-27T10:00:00.000Z',
];

async function ask(api: TestApp, name: Name, variables: object = {}, as: Caller = {}, more = ''): Promise<Series[]> {
  const title = name.charAt(0).toUpperCase() + name.slice(1);
  const { data, errors } = await api.graphql<Record<string, Series[]>>(
    `query ($filter: ${title}Filter!, $interval: StatsInterval!, $timeZone: String! = "UTC") {
      ${name}(filter: $filter, interval: $interval, timeZone: $timeZone${more}) {
        ${keys[name]} total { ${counts[name]} } buckets { from until ${counts[name]} } } }`,
    { filter: { since, until }, interval: 'HOUR', ...variables },
    as,
  );
  expect(errors).toBeUndefined();
  return data[name] as Series[];
}

/** Rows with a group, an instant and the names of what they count. */
type Counted = { key: string; at: string; adds: Record<string, number | undefined> };

/** Compares every series and bucket with the rows of the table. */
function expectTable(series: readonly Series[], rows: readonly Counted[], names: readonly string[]): void {
  const sum = (of: readonly Counted[]) =>
    Object.fromEntries(names.map((name) => [name, of.reduce((total, { adds }) => total + (adds[name] ?? 0), 0)]));
  const numbers = (given: Record<string, unknown>) =>
    Object.fromEntries(names.map((name) => [name, Number(given[name])]));
  expect(series.length).toBeGreaterThan(0);
  for (const { key, total, buckets } of series) {
    const [first, last] = [buckets[0]?.from as string, buckets.at(-1)?.until as string];
    const own = rows.filter((row) => (key === undefined || row.key === key) && row.at >= first && row.at < last);
    expect(numbers(total)).toEqual(sum(own));
    for (const bucket of buckets)
      expect(numbers(bucket)).toEqual(sum(own.filter(({ at }) => at >= bucket.from && at < bucket.until)));
  }
}

/** Runs statements as the owner of the tables, which keep other tenants' rows too. */
async function asOwner<Rows>(api: TestApp, work: (client: pg.Client) => Promise<Rows>): Promise<Rows> {
  const client = new pg.Client({ connectionString: api.databaseUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const ranges = [
  { interval: 'HOUR' },
  { interval: 'DAY', timeZone: 'Europe/Berlin' },
  { interval: 'DAY', timeZone: 'Asia/Kolkata' },
];

async function expectDayOfClockChange(series: Series | undefined): Promise<void> {
  const day = series?.buckets.find(({ from }) => from === '2026-10-24T22:00:00.000Z');
  expect(day?.until).toBe('2026-10-25T23:00:00.000Z');
}

test('orders are counted and added up by currency as the table has them, across a clock change', async ({ api }) => {
  const rows = await asOwner(api, async (client) => {
    const { rows: inserted } = await client.query<{
      key: string;
      at: Date;
      status: string;
      net: string;
      gross: string;
    }>(
      `INSERT INTO orders (tenant_id, number, status, channel, currency, net, tax, gross, placed_at, created_at, updated_at)
       SELECT tenant, row_number() OVER (), CASE WHEN n % 3 = 0 THEN 'cancelled' ELSE 'pending' END, CASE WHEN n % 2 = 0 THEN 'web' END,
         (ARRAY['EUR', 'EUR', 'CHF'])[1 + n % 3], n + 0.25, 1, n + 1.5, at, now(), now()
       FROM unnest($1::timestamptz[]) AS at, generate_series(1, 7) AS n, unnest('{acme-shop,acme-outlet}'::text[]) AS tenant
       RETURNING tenant_id, currency AS key, placed_at AS at, status, channel, net, gross`,
      [instants],
    );
    return (inserted as ((typeof inserted)[number] & { tenant_id: string; channel: string | null })[]).filter(
      ({ tenant_id: tenant }) => tenant === 'acme-shop',
    );
  });
  const toCounted = (of: typeof rows): Counted[] =>
    of.map(({ key, at, status, net, gross }) => ({
      key,
      at: at.toISOString(),
      adds: status === 'cancelled' ? { cancelled: 1 } : { orders: 1, net: Number(net), gross: Number(gross) },
    }));
  const names = ['orders', 'cancelled', 'net', 'gross'];
  for (const range of ranges) {
    const series = await ask(api, 'orderStats', range);
    expect(series.map(({ key }) => key)).toEqual(['EUR', 'CHF']);
    expectTable(series, toCounted(rows), names);
    if (range.timeZone === 'Europe/Berlin') await expectDayOfClockChange(series[0]);
  }
  const [exact] = await ask(api, 'orderStats');
  expect(exact?.total['net']).toMatch(/^\d+\.\d\d$/);
  const web = await ask(api, 'orderStats', { filter: { since, until, channel: 'web' } });
  expectTable(web, toCounted(rows.filter(({ channel }) => channel === 'web')), names);
  expect(await ask(api, 'orderStats', { filter: { since, until, organizationId: '77' } })).toEqual([]);
  expect(
    await ask(api, 'orderStats', {}, { tenant: 'other-shop', sub: 'other', roles: ['user'] }).catch(() => []),
  ).toEqual([]);
}, 120_000);

test('deliveries are counted by status and destination as the log has them', async ({ api }) => {
  const rows = await asOwner(api, async (client) => {
    const { rows: destinations } = await client.query<{ id: string }>(
      `INSERT INTO webhook_destinations (tenant_id, name, url, topics, updated_at)
       SELECT 'acme-shop', 'ERP ' || n, 'https://erp.example', '{*}', now() FROM generate_series(1, 2) AS n RETURNING id`,
    );
    const { rows: inserted } = await client.query<{ key: string; at: Date; status: string; tries: number }>(
      `INSERT INTO webhook_deliveries (tenant_id, destination_id, payload_id, status, tries, created_at)
       SELECT 'acme-shop', d, n, (ARRAY['delivered', 'delivered', 'failed', 'held', 'pending'])[1 + n % 5], n % 4, at
       FROM unnest($1::timestamptz[]) AS at, generate_series(1, 9) AS n, unnest($2::bigint[]) AS d WHERE n + d % 2 < 10
       RETURNING destination_id AS key, created_at AS at, status, tries`,
      [instants, destinations.map(({ id }) => id)],
    );
    return inserted;
  });
  const toCounted = (of: typeof rows): Counted[] =>
    of.map(({ key, at, status, tries }) => ({
      key,
      at: at.toISOString(),
      adds: { total: 1, [status]: 1, attempts: tries },
    }));
  const names = ['total', 'delivered', 'pending', 'failed', 'held', 'attempts'];
  for (const range of ranges) expectTable(await ask(api, 'deliveryStats', range), toCounted(rows), names);
  const destinationId = rows[0]?.key as string;
  const own = await ask(api, 'deliveryStats', { filter: { since, until, destinationId } });
  expectTable(own, toCounted(rows.filter(({ key }) => key === destinationId)), names);
  const each = await ask(api, 'deliveryStats', {}, {}, ', byDestination: true');
  expect(each).toHaveLength(2);
  const [empty] = await ask(api, 'deliveryStats', {}, { tenant: 'acme-outlet' });
  expect(empty?.total).toMatchObject({ total: 0 });
  expect(empty?.buckets).toHaveLength(6 * 24);
});

test('a range that cannot be counted in time is refused with what to do', async ({ api }) => {
  const { data, errors } = await asOwner(api, async (client) => {
    // Stands for more rows than can be read in ten seconds.
    await client.query('BEGIN; LOCK TABLE webhook_deliveries IN ACCESS EXCLUSIVE MODE');
    return api.graphql(
      'query ($filter: DeliveryStatsFilter!) { deliveryStats(filter: $filter, interval: DAY) { total { total } } }',
      { filter: { since, until } },
    );
  });
  expect(data).toBeNull();
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION_FAILED' });
  expect(JSON.stringify(errors)).toContain('Choose a shorter range.');
});

test('imports and their rows are counted by target as the table has them, without dry runs and exports', async ({
  api,
}) => {
  const rows = await asOwner(api, async (client) => {
    const { rows: inserted } = await client.query<Record<string, string> & { at: Date; isCounted: boolean }>(
      `INSERT INTO bulk_jobs (tenant_id, kind, target, profile, profile_name, upload_id, dry_run, status, rows_read, rows_written,
         rows_unchanged, rows_rejected, created_at)
       SELECT 'acme-shop', CASE WHEN n = 8 THEN 'export' ELSE 'import' END, (ARRAY['stock', 'prices'])[1 + n % 2], '{}', 'ERP',
         nextval('uploads_id_seq'), n = 7, (ARRAY['completed', 'failed', 'cancelled', 'completed', 'completed'])[1 + n % 5], n * 4, n, n, n, at
       FROM unnest($1::timestamptz[]) AS at, generate_series(1, 8) AS n
       RETURNING target AS key, created_at AS at, status, rows_read, rows_written, rows_unchanged, rows_rejected,
         kind = 'import' AND NOT dry_run AS "isCounted"`,
      [instants],
    );
    return inserted.filter(({ isCounted }) => isCounted);
  });
  const counted = rows.map((row) => ({
    key: row['key'] as string,
    at: row.at.toISOString(),
    adds: {
      [row['status'] as string]: 1,
      rowsRead: Number(row['rows_read']),
      rowsWritten: Number(row['rows_written']),
      rowsUnchanged: Number(row['rows_unchanged']),
      rowsRejected: Number(row['rows_rejected']),
    },
  }));
  for (const range of ranges) {
    const series = await ask(api, 'importStats', range);
    expect(series.map(({ key }) => key)).toEqual(['prices', 'stock']);
    expectTable(series, counted, counts.importStats.split(' '));
  }
  const stock = await ask(api, 'importStats', { filter: { since, until, target: 'stock', profile: 'ERP' } });
  expect(stock.map(({ key }) => key)).toEqual(['stock']);
});

interface TriggerAnswer {
  triggerStats: Series & {
    countedSince: string | null;
    last: { firedAt: string; run: { status: string } | null; deadLetter: { reason: string } | null }[];
  };
}

test('firings of a trigger are counted by their outcomes, and the last ones are listed', async ({ api }) => {
  const workflowId = await insertWorkflow(api.database, 'acme-shop', 'Fired');
  // The range is of 2026, and later than any retention in days.
  await createHistory(api).settings('acme-shop', { run: null });
  const statuses = ['succeeded', 'failed', 'cancelled', 'queued'];
  const rows = await asOwner(api, async (client) => {
    const { rows: triggers } = await client.query<{ id: string }>(
      `INSERT INTO triggers (tenant_id, workflow_id, type, name, updated_at)
       SELECT 'acme-shop', $1, 'webhook', 'Hook ' || n, now() FROM generate_series(1, 2) AS n RETURNING id`,
      [workflowId],
    );
    const found: Counted[] = [];
    for (const { id } of triggers) {
      for (const [index, at] of instants.entries()) {
        const status = statuses[index % 4] as string;
        const run = await insertRun(api.database, 'acme-shop', workflowId, { status, createdAt: at });
        // The first run of each trigger is a rerun, the second a test.
        await client.query('UPDATE runs SET trigger_id = $1, rerun_of_id = $2, is_test = $3 WHERE id = $4', [
          id,
          index === 0 ? 1 : null,
          index === 1,
          run,
        ]);
        if (index > 1)
          found.push({ key: id, at, adds: { total: 1, [status === 'queued' ? 'unfinished' : status]: 1 } });
      }
      const { rows: letters } = await client.query<{ at: Date; status: string }>(
        `INSERT INTO dead_letters (tenant_id, workflow_id, trigger_id, source, trigger_handle, reason, status, created_at)
         SELECT 'acme-shop', $1, $2, 'webhook', gen_random_uuid(), 'It was full.', status::dead_letter_status, at + interval '1 second'
         FROM unnest($3::timestamptz[]) AS at, unnest('{pending,discarded,replayed}'::text[]) AS status RETURNING created_at AS at, status`,
        [workflowId, id, instants.slice(-3)],
      );
      for (const { at, status } of letters)
        if (status !== 'replayed') found.push({ key: id, at: at.toISOString(), adds: { total: 1, deadLetters: 1 } });
    }
    return found;
  });
  const names = ['total', 'unfinished', 'succeeded', 'failed', 'cancelled', 'deadLetters'];
  const read = (variables: object, as: Caller = {}) =>
    api.graphql<TriggerAnswer>(
      `query ($filter: TriggerStatsFilter!, $interval: StatsInterval!, $timeZone: String! = "UTC", $lastFirings: Int! = 4) {
        triggerStats(filter: $filter, interval: $interval, timeZone: $timeZone, lastFirings: $lastFirings) {
          countedSince total { ${names.join(' ')} } buckets { from until ${names.join(' ')} }
          last { firedAt run { status } deadLetter { reason } } } }`,
      { interval: 'HOUR', ...variables },
      as,
    );
  const triggerId = rows[0]?.key as string;
  const own = rows.filter(({ key }) => key === triggerId);
  for (const range of ranges) {
    const { data, errors } = await read({ filter: { triggerId, since, until }, ...range });
    expect(errors).toBeUndefined();
    expect(data.triggerStats.countedSince).toBeNull();
    expectTable([data.triggerStats], own, names);
  }
  const { data } = await read({ filter: { triggerId, since, until } });
  expect(data.triggerStats.last).toEqual([
    { firedAt: '2026-10-27T10:00:01.000Z', run: null, deadLetter: { reason: 'It was full.' } },
    { firedAt: '2026-10-27T10:00:01.000Z', run: null, deadLetter: { reason: 'It was full.' } },
    { firedAt: '2026-10-27T10:00:00.000Z', run: { status: 'QUEUED' }, deadLetter: null },
    { firedAt: '2026-10-25T23:00:01.000Z', run: null, deadLetter: { reason: 'It was full.' } },
  ]);
  const failure = async (variables: object, as: Caller = {}) => (await read(variables, as)).errors?.[0]?.extensions;
  expect(await failure({ filter: { triggerId, since, until } }, { tenant: 'acme-outlet' })).toMatchObject({
    code: 'NOT_FOUND',
  });
  expect(await failure({ filter: { triggerId, since, until }, lastFirings: 51 })).toMatchObject({
    code: 'VALIDATION_FAILED',
  });
  expect(await failure({ filter: { triggerId, since: until, until: since } })).toMatchObject({
    code: 'VALIDATION_FAILED',
  });
});
