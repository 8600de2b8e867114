import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { leaseSeconds, recordHeadway, type TakenJob, takeJob } from '#src/imports/bulk-jobs/bulk-jobs.store.ts';
import { runBulkJob } from '#src/imports/bulk-jobs/run-bulk-job.service.ts';
import { sweepStaging } from '#src/imports/bulk-jobs/staging-sweep.service.ts';
import { takeUpJobs } from '#src/imports/bulk-jobs/wake-jobs.service.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { dieOnceFar, jobRow, releaseLease } from './dying-worker.ts';
import { ended, type Job, makeProfile, rejectsOf, startImportWorker, upload } from './import-file.ts';

let api: TestApp;

const start = async (uploadId: number, more: object = {}): Promise<{ status: number; body: Job }> =>
  (await callPlatform(api, 'POST', '/io/imports', {
    body: { upload_id: uploadId, profile: 'products', ...more },
  })) as never;
const file = (from: number, many: number): string =>
  `sku,name\n${Array.from({ length: many }, (_, at) => `P-${from + at},Product ${from + at}\n`).join('')}`;
const products = async (): Promise<number> =>
  (await callPlatform(api, 'GET', '/products?limit=1')).body['total'] as never;
const row = (id: number) => jobRow(api, id);
const dieWhen = (id: number, isFar: Parameters<typeof dieOnceFar>[2]) => dieOnceFar(api, id, isFar);

// Each ends its jobs, so that the next needs no app of its own.
describe('one bulk job after the other', () => {
  test.beforeAll(async ({ api: started }) => {
    api = started;
    await makeProfile(api, { name: 'products', target: 'products' });
  });

  test('is refused without a file, an upload or a profile', async () => {
    const { body } = await callPlatform(api, 'POST', '/io/uploads', {
      body: { filename: 'a', content_type: 'text/csv' },
    });
    expect(await start(body['upload_id'] as never)).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
    expect(await start(999_999)).toMatchObject({ status: 422, body: { errors: { upload_id: [expect.any(String)] } } });
    expect(await start('nonsense' as never)).toMatchObject({ status: 422 });
    const uploadId = await upload(api, file(1, 2));
    expect(await start(uploadId, { profile: 'no such' })).toMatchObject({
      status: 422,
      body: { errors: { profile: [expect.any(String)] } },
    });
  });

  test('that waits is cancelled at once', async () => {
    const { body } = await start(await upload(api, file(1, 2)));
    expect(await callPlatform(api, 'POST', `/io/bulk-jobs/${body.id}/cancel`)).toMatchObject({
      status: 202,
      body: { status: 'cancelled', rows_read: 0 },
    });
    await runBulkJob(api.opened.imports, { tenantId: 'acme-shop', bulkJobId: body.id });
    expect(await products()).toBe(0);
  });

  test('is given up where one worker after the other has died of it', async () => {
    const { body } = await start(await upload(api, file(1, 2)));
    const lastWord = `UPDATE bulk_jobs SET status = 'running', lease = gen_random_uuid(), lease_until = now(), attempts = 5
      WHERE tenant_id = 'acme-shop' AND id = $1`;
    await api.database.tenantQuery('acme-shop', { text: lastWord, values: [body.id] });
    await runBulkJob(api.opened.imports, { tenantId: 'acme-shop', bulkJobId: body.id });
    expect(await ended(api, body.id)).toMatchObject({
      status: 'failed',
      error: 'It failed several times at the same place. The log of the server says why.',
      rows_written: 0,
    });
    expect(await products()).toBe(0);
  });

  test('fails where no worker has its file, and the log says what hosts must share', async () => {
    const uploadId = await upload(api, file(1, 2));
    const { body } = await start(uploadId);
    const { rows } = await api.database.system.query('SELECT storage_key FROM uploads WHERE id = $1', [uploadId]);
    await api.deps.storage.delete(rows[0].storage_key);
    while ((await row(body.id)).status !== 'failed')
      await runBulkJob(api.opened.imports, { tenantId: 'acme-shop', bulkJobId: body.id });
    const job = await ended(api, body.id);
    expect(job).toMatchObject({ rows_read: 0, error: expect.stringContaining('The log of the server says why.') });
    expect(api.logLines.join('')).toContain('Mount one volume there on all hosts, or set S3_BUCKET.');
  });

  test('waits for the one before it, of the same target', async () => {
    const first = await start(await upload(api, file(1, 2)));
    const second = await start(await upload(api, file(3, 2)));
    const run = (id: number) => runBulkJob(api.opened.imports, { tenantId: 'acme-shop', bulkJobId: id });
    await run(second.body.id);
    expect(await row(second.body.id)).toMatchObject({ status: 'queued' });
    await run(first.body.id);
    await run(second.body.id);
    expect(await row(second.body.id)).toMatchObject({ status: 'completed' });
  });

  test('keeps its profile as it was when it was started', async () => {
    const { id } = await makeProfile(api, { name: 'gone', target: 'products', mapping: { sku: 'a', name: 'b' } });
    const { body } = await start(await upload(api, 'a,b\nOLD,Old\n'), { profile: 'gone' });
    await callPlatform(api, 'DELETE', `/io/import-profiles/${id}`);
    await runBulkJob(api.opened.imports, { tenantId: 'acme-shop', bulkJobId: body.id });
    expect(await ended(api, body.id)).toMatchObject({ status: 'completed', rows_written: 1, profile: 'gone' });
  });

  test('is followed from its present state to its end', async () => {
    const { body } = await start(await upload(api, file(1, 15_000)));
    const { watchBulkJob } = await import('#src/imports/bulk-jobs/watch-bulk-job.service.ts');
    const states: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const open = await watchBulkJob(api.opened.imports, 'acme-shop', BigInt(body.id));
    open({
      event({ job }) {
        states.push(job.status);
        return true;
      },
      end: () => resolve(),
    });
    await expect.poll(() => states).toContain('queued');
    await runBulkJob(api.opened.imports, { tenantId: 'acme-shop', bulkJobId: body.id });
    await promise;
    expect(states.at(-1)).toBe('completed');
    expect(states).toEqual(states.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)));
  });
});

describe('a bulk job', () => {
  test.beforeEach(async ({ ownApi }) => {
    api = ownApi;
    await makeProfile(api, { name: 'products', target: 'products' });
  });

  test('is the same for the same upload, but for a dry run', async () => {
    const uploadId = await upload(api, file(1, 2));
    const first = await start(uploadId);
    expect(first).toMatchObject({ status: 202, body: { status: 'queued', rows_read: 0, progress: 0 } });
    expect(await start(uploadId, { profile: 'no such' })).toMatchObject({ status: 202, body: { id: first.body.id } });
    const dry = await start(uploadId, { dry_run: true });
    expect(dry.body.id).not.toBe(first.body.id);
    expect((await callPlatform(api, 'GET', '/io/bulk-jobs')).body).toMatchObject({
      total: 2,
      items: [{ id: dry.body.id }, { id: first.body.id }],
    });
  });

  test('goes on where a worker that died left off, and writes nothing twice', async () => {
    const { body } = await start(await upload(api, file(1, 25_000)));
    await dieWhen(body.id, ({ merged_to: merged }) => merged >= 20_000);
    const holdUntil = (lease: string) =>
      api.database.tenantQuery('acme-shop', {
        text: `UPDATE bulk_jobs SET lease_until = ${lease}, announced_at = NULL WHERE tenant_id = 'acme-shop' AND id = $1`,
        values: [body.id],
      });
    await holdUntil(`now() + interval '1 hour'`);
    expect(await row(body.id)).toMatchObject({ status: 'running', merged_to: 20_000 });
    // Reading is 0.3 of a job.
    const shown = await callPlatform(api, 'GET', `/io/bulk-jobs/${body.id}`);
    expect(shown.body).toMatchObject({ status: 'running', progress: 0.86 });
    await startImportWorker(api);
    await runBulkJob(api.opened.imports, { tenantId: 'acme-shop', bulkJobId: body.id });
    // The lease of the dead is still good, so nobody else may touch the job.
    expect((await row(body.id)).merged_to).toBe(20_000);
    await holdUntil('now()');
    await takeUpJobs(api.opened.imports);
    const job = await ended(api, body.id);
    expect(job).toMatchObject({ status: 'completed', rows_read: 25_000, rows_written: 25_000, rows_unchanged: 0 });
    expect(await products()).toBe(25_000);
    const { rows } = await api.database.system.query(
      `SELECT count(*)::int AS events, count(DISTINCT data ->> 'sku')::int AS skus FROM outbox_events WHERE topic = 'product.created'`,
    );
    expect(rows).toEqual([{ events: 25_000, skus: 25_000 }]);
  });

  test.for([
    ['as it reads', 'reading', 20_000, 0],
    ['as it merges', 'merging', 25_000, 20_000],
  ] as const)(
    'reads its file again where Postgres lost the staged rows %s, and counts them once',
    async ([, phase, read, merged]) => {
      const repeated = `${file(1, 24_997)}P-1,Again\n,Nameless\nP-2,Again\n`;
      const { body } = await start(await upload(api, repeated));
      await dieWhen(
        body.id,
        (job) => job.rows_read >= read && job.merged_to >= merged && (phase === 'reading' || job.phase === phase),
      );
      const at = (await row(body.id)).phase;
      expect(at).toBe(phase);
      await api.database.system.query('DELETE FROM import_rows');
      await releaseLease(api, body.id);
      await runBulkJob(api.opened.imports, { tenantId: 'acme-shop', bulkJobId: body.id });
      const job = await ended(api, body.id);
      expect(job).toMatchObject({ status: 'completed', rows_read: 25_000, rows_written: 24_997, rows_rejected: 3 });
      expect((await rejectsOf(api, job)).map((line) => line.split(',')[0])).toEqual(['24999', '25000', '25001']);
      expect(await products()).toBe(24_997);
    },
  );

  test('rejects repeated records once, also where a worker dies that reads the file again', async () => {
    const { body } = await start(await upload(api, `${file(1, 24_998)}P-1,Again\nP-2,Again\n`));
    const isMerging = (job: { phase: string }): boolean => job.phase === 'merging';
    await dieWhen(body.id, isMerging);
    await api.database.system.query('DELETE FROM import_rows');
    await releaseLease(api, body.id);
    await dieWhen(body.id, ({ staged }) => staged >= 25_000);
    await releaseLease(api, body.id);
    await runBulkJob(api.opened.imports, { tenantId: 'acme-shop', bulkJobId: body.id });
    const job = await ended(api, body.id);
    expect(job).toMatchObject({ status: 'completed', rows_read: 25_000, rows_written: 24_998, rows_rejected: 2 });
    expect(await rejectsOf(api, job)).toHaveLength(2);
  });

  test('stays with its worker, however long a chunk took', async () => {
    const { body } = await start(await upload(api, file(1, 2)));
    const isFromNow = await api.database.withTenantSql('acme-shop', async (tx) => {
      const job = await takeJob(tx, 'acme-shop', body.id, randomUUID());
      await tx.query('SELECT pg_sleep(0.05)');
      await recordHeadway(tx, job as TakenJob, {});
      const { rows } = await tx.query(
        `SELECT lease_until > now() + make_interval(secs => ${leaseSeconds}) AS it FROM bulk_jobs WHERE id = $1`,
        [body.id],
      );
      return rows[0].it as boolean;
    });
    expect(isFromNow).toBe(true);
  });

  test('stops between two chunks where it is cancelled, and counts what it merged', async () => {
    const { body } = await start(await upload(api, file(1, 30_000)));
    const running = runBulkJob(api.opened.imports, { tenantId: 'acme-shop', bulkJobId: body.id });
    await expect.poll(async () => (await row(body.id)).merged_to, { timeout: 20_000, interval: 5 }).toBeGreaterThan(0);
    const cancelled = await callPlatform(api, 'POST', `/io/bulk-jobs/${body.id}/cancel`);
    await running;
    const job = await ended(api, body.id);
    if (job.status === 'cancelled') {
      expect(cancelled.status).toBe(202);
      expect(job.rows_read).toBe(job.rows_written);
    }
    expect(await products()).toBe(job.rows_written);
    expect(await callPlatform(api, 'POST', `/io/bulk-jobs/${body.id}/cancel`)).toMatchObject({ status: 409 });
  });

  test('waits for two others of its tenant at most, and not for those of other tenants', async () => {
    for (const tenant of ['acme-shop', 'acme-outlet'])
      await makeProfile(api, { name: 'organizations', target: 'organizations' }, tenant);
    const customers = (many: number): string =>
      `customer_number,name\n${Array.from({ length: many }, (_, at) => `C-${at},Customer\n`).join('')}`;
    const jobs: number[] = [];
    for (let n = 0; n < 5; n += 1) {
      jobs.push((await start(await upload(api, `${file(1, 2_000)}LAST-${n},x\n`))).body.id);
      const uploadId = await upload(api, customers(2_000 + n));
      jobs.push((await start(uploadId, { profile: 'organizations' })).body.id);
    }
    const body = { upload_id: await upload(api, customers(3), 'acme-outlet'), profile: 'organizations' };
    const other = await callPlatform(api, 'POST', '/io/imports', { tenant: 'acme-outlet', body });
    await startImportWorker(api);
    for (const id of jobs) expect(await ended(api, id)).toMatchObject({ status: 'completed' });
    expect(await ended(api, other.body['id'] as never, 'acme-outlet')).toMatchObject({ status: 'completed' });
    const { rows } = await api.database.system.query(
      `SELECT max((SELECT count(*) FROM bulk_jobs o WHERE o.tenant_id = j.tenant_id AND o.started_at <= j.started_at
          AND o.finished_at > j.started_at))::int AS "atATime",
        max(finished_at) FILTER (WHERE tenant_id = 'acme-outlet') < max(started_at) FILTER (WHERE tenant_id = 'acme-shop') AS passed
       FROM bulk_jobs j`,
    );
    expect(rows).toEqual([{ atATime: 2, passed: true }]);
  });

  test('leaves no rows behind once it has ended', async () => {
    const { body } = await start(await upload(api, file(1, 10)));
    await runBulkJob(api.opened.imports, { tenantId: 'acme-shop', bulkJobId: body.id });
    const staged = async () => (await api.database.system.query('SELECT FROM import_rows')).rowCount;
    expect(await staged()).toBe(10);
    while (await sweepStaging(api.deps));
    expect(await staged()).toBe(0);
  });
});

const order = ['queued', 'running', 'completed'];
