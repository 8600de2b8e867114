import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { describe, expect, vi } from 'vitest';
import { leaseSeconds, recordProgress, type TakenJob, takeJob } from '#src/imports/bulk-jobs/bulk-jobs.store.ts';
import { streamRejects as rejectedBy } from '#src/imports/bulk-jobs/rejects.service.ts';
import { takeUpJobs } from '#src/imports/bulk-jobs/wake-jobs.service.ts';
import { sweepStaging } from '#src/imports/staging/staging-sweep.service.ts';
import { dieOnceFar, jobRow, releaseLease } from '#test/imports/dying-worker.ts';
import {
  ended,
  type Job,
  makeProfile,
  makeTenant,
  readRejects,
  startImportWorker,
  upload,
} from '#test/imports/import-file.ts';
import { callPlatform, type RestAnswer } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { runBulkJob } from '#workers/imports/bulk-jobs.worker.ts';

let api: TestApp;
let tenant: string;
/** Rows of a file whose last ones are merged in a second chunk, and of one whose last ones are staged in a second part. */
const [many, staged] = [20_400, 10_400];

const start = async (uploadId: number, more: object = {}): Promise<{ status: number; body: Job }> =>
  (await callPlatform(api, 'POST', '/io/imports', {
    tenant,
    body: { upload_id: uploadId, profile: 'products', ...more },
  })) as never;
const send = (content: string): Promise<number> => upload(api, content, tenant);
const run = (id: number): Promise<void> => runBulkJob(api.services.imports, { tenantId: tenant, bulkJobId: id });
const callOwn = (method: string, path: string, body?: object) => callPlatform(api, method, path, { tenant, body });
const file = (from: number, many: number): string =>
  `sku,name\n${Array.from({ length: many }, (_, at) => `P-${from + at},Product ${from + at}\n`).join('')}`;
const products = async (): Promise<number> => (await callOwn('GET', '/products?limit=1')).body['total'] as never;
/** With a tenant of its own, no test sees the jobs of another. */
async function begin(): Promise<void> {
  tenant = await makeTenant(api);
  await makeProfile(api, { name: 'products', target: 'products' }, tenant);
}
const row = (id: number) => jobRow(api, id);
const dieWhen = (id: number, isFar: Parameters<typeof dieOnceFar>[2]) => dieOnceFar(api, id, isFar, tenant);

// Each ends its jobs, so that the next needs no app of its own.
describe('a bulk job among others', () => {
  test.beforeAll(async ({ api: started }) => {
    api = started;
    await begin();
  });

  test('is refused without a file, an upload or a profile', async () => {
    const { body } = await callOwn('POST', '/io/uploads', { filename: 'a', content_type: 'text/csv' });
    expect(await start(body['upload_id'] as never)).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
    expect(await start(999_999)).toMatchObject({ status: 422, body: { errors: { upload_id: [expect.any(String)] } } });
    expect(await start('nonsense' as never)).toMatchObject({ status: 422 });
    const uploadId = await send(file(1, 2));
    expect(await start(uploadId, { profile: 'no such' })).toMatchObject({
      status: 422,
      body: { errors: { profile: [expect.any(String)] } },
    });
  });

  test('is cancelled immediately while it waits', async () => {
    const { body } = await start(await send(file(1, 2)));
    expect(await callOwn('POST', `/io/bulk-jobs/${body.id}/cancel`)).toMatchObject({
      status: 202,
      body: { status: 'cancelled', rows_read: 0 },
    });
    await run(body.id);
    expect(await products()).toBe(0);
  });

  test('is given up after several workers died while they ran it', async () => {
    const { body } = await start(await send(file(1, 2)));
    const lastWord = `UPDATE bulk_jobs SET status = 'running', lease = gen_random_uuid(), lease_until = now(), attempts = 5
      WHERE tenant_id = $1 AND id = $2`;
    await api.database.tenantQuery(tenant, { text: lastWord, values: [tenant, body.id] });
    await run(body.id);
    expect(await ended(api, body.id, tenant)).toMatchObject({
      status: 'failed',
      error: 'It failed several times at the same place. The log of the server says why.',
      rows_written: 0,
    });
    expect(await products()).toBe(0);
  });

  test('fails if no worker has its file, and the log says what hosts must share', async () => {
    const uploadId = await send(file(1, 2));
    const { body } = await start(uploadId);
    const { rows } = await api.database.system.query('SELECT storage_key FROM uploads WHERE id = $1', [uploadId]);
    await api.deps.storage.delete(rows[0].storage_key);
    while ((await row(body.id)).status !== 'failed') await run(body.id);
    const job = await ended(api, body.id, tenant);
    expect(job).toMatchObject({ rows_read: 0, error: expect.stringContaining('The log of the server says why.') });
    expect(api.logLines.join('')).toContain('Mount one volume there on all hosts, or set S3_BUCKET.');
  });

  test('waits for the earlier job of the same target', async () => {
    const first = await start(await send(file(1, 2)));
    const second = await start(await send(file(3, 2)));
    await run(second.body.id);
    expect(await row(second.body.id)).toMatchObject({ status: 'queued' });
    await run(first.body.id);
    await run(second.body.id);
    expect(await row(second.body.id)).toMatchObject({ status: 'completed' });
  });

  test('uses its profile as it was when the job was started', async () => {
    const { id } = await makeProfile(
      api,
      { name: 'gone', target: 'products', mapping: { sku: 'a', name: 'b' } },
      tenant,
    );
    const { body } = await start(await send('a,b\nOLD,Old\n'), { profile: 'gone' });
    await callOwn('DELETE', `/io/import-profiles/${id}`);
    await run(body.id);
    expect(await ended(api, body.id, tenant)).toMatchObject({ status: 'completed', rows_written: 1, profile: 'gone' });
  });

  test('lists every fault of a line, however many lines there are', async () => {
    const { body } = await start(await send(file(1, 1)));
    // They are read by the five thousand, so that one part ends between two faults of a line.
    await api.database.tenantQuery(tenant, {
      text: `INSERT INTO import_rejects (tenant_id, job_id, line, reason)
        SELECT $1, $2, n / 2, 'Fault ' || n FROM generate_series(1, 5002) AS n ORDER BY n`,
      values: [tenant, body.id],
    });
    const lines = (await text(rejectedBy(api.deps, tenant, body.id))).trimEnd().split('\n');
    expect(lines.slice(1)).toEqual(Array.from({ length: 5_002 }, (_, at) => `${(at + 1) >> 1},,,Fault ${at + 1}`));
    await callOwn('POST', `/io/bulk-jobs/${body.id}/cancel`);
  });

  test('sends its subscribers its present state and each change until it ends', async () => {
    const { body } = await start(await send(file(1, 10_400)));
    const { watchBulkJob } = await import('#src/imports/bulk-jobs/watch-bulk-job.service.ts');
    const states: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const open = await watchBulkJob(api.services.imports, tenant, BigInt(body.id));
    open({
      event({ job }) {
        states.push(job.status);
        return true;
      },
      end: () => resolve(),
    });
    await expect.poll(() => states).toContain('queued');
    await run(body.id);
    await promise;
    expect(states.at(-1)).toBe('completed');
    expect(states).toEqual(states.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)));
  });
});

describe('a bulk job', () => {
  test.beforeEach(async ({ api: started }) => {
    api = started;
    await begin();
  });

  test('is the same job for the same upload, except for a dry run', async () => {
    const uploadId = await send(file(1, 2));
    const first = await start(uploadId);
    expect(first).toMatchObject({ status: 202, body: { status: 'queued', rows_read: 0, progress: 0 } });
    expect(await start(uploadId, { profile: 'no such' })).toMatchObject({ status: 202, body: { id: first.body.id } });
    const dry = await start(uploadId, { dry_run: true });
    expect(dry.body.id).not.toBe(first.body.id);
    expect((await callOwn('GET', '/io/bulk-jobs')).body).toMatchObject({
      total: 2,
      items: [{ id: dry.body.id }, { id: first.body.id }],
    });
  });

  test('resumes where a dead worker stopped, and writes nothing twice', async ({ ownApi }) => {
    api = ownApi;
    await begin();
    const { body } = await start(await send(file(1, many)));
    await dieWhen(body.id, ({ merged_to: merged }) => merged >= 20_000);
    const holdUntil = (lease: string) =>
      api.database.tenantQuery(tenant, {
        text: `UPDATE bulk_jobs SET lease_until = ${lease}, announced_at = NULL WHERE tenant_id = $1 AND id = $2`,
        values: [tenant, body.id],
      });
    await holdUntil(`now() + interval '1 hour'`);
    expect(await row(body.id)).toMatchObject({ status: 'running', merged_to: 20_000 });
    // Reading is 0.3 of a job.
    const shown = await callOwn('GET', `/io/bulk-jobs/${body.id}`);
    expect(shown.body).toMatchObject({ status: 'running', progress: 0.986 });
    await startImportWorker(api);
    await run(body.id);
    // The lease of the dead is still good, so nobody else may touch the job.
    expect((await row(body.id)).merged_to).toBe(20_000);
    await holdUntil('now()');
    await takeUpJobs(api.services.imports);
    const job = await ended(api, body.id, tenant);
    expect(job).toMatchObject({ status: 'completed', rows_read: many, rows_written: many, rows_unchanged: 0 });
    expect(await products()).toBe(many);
    const { rows } = await api.database.system.query(
      `SELECT count(*)::int AS events, count(DISTINCT data ->> 'sku')::int AS skus FROM outbox_events WHERE topic = 'product.created'`,
    );
    expect(rows).toEqual([{ events: many, skus: many }]);
  });

  test.for([
    ['as it reads', 'reading', 20_000, 0],
    ['as it merges', 'merging', many, 20_000],
  ] as const)(
    'reads its file again where Postgres lost the staged rows %s, and counts them once',
    async ([, phase, read, merged]) => {
      const repeated = `${file(1, many - 3)}P-1,Again\n,Nameless\nP-2,Again\n`;
      const { body } = await start(await send(repeated));
      await dieWhen(
        body.id,
        (job) => job.rows_read >= read && job.merged_to >= merged && (phase === 'reading' || job.phase === phase),
      );
      const at = (await row(body.id)).phase;
      expect(at).toBe(phase);
      await api.database.system.query('DELETE FROM import_rows');
      await releaseLease(api, body.id, tenant);
      await run(body.id);
      const job = await ended(api, body.id, tenant);
      expect(job).toMatchObject({ status: 'completed', rows_read: many, rows_written: many - 3, rows_rejected: 3 });
      expect((await readRejects(api, job)).map((line) => line.split(',')[0])).toEqual(
        [many - 1, many, many + 1].map(String),
      );
      expect(await products()).toBe(many - 3);
    },
  );

  test('rejects repeated records once, even if the worker that reads the file again dies', async () => {
    const { body } = await start(await send(`${file(1, staged - 2)}P-1,Again\nP-2,Again\n`));
    const isMerging = (job: { phase: string }): boolean => job.phase === 'merging';
    await dieWhen(body.id, isMerging);
    await api.database.system.query('DELETE FROM import_rows');
    await releaseLease(api, body.id, tenant);
    await dieWhen(body.id, (job) => job.staged >= staged);
    await releaseLease(api, body.id, tenant);
    await run(body.id);
    const job = await ended(api, body.id, tenant);
    expect(job).toMatchObject({ status: 'completed', rows_read: staged, rows_written: staged - 2, rows_rejected: 2 });
    expect(await readRejects(api, job)).toHaveLength(2);
  });

  test('stays with its worker, however long a chunk takes', async () => {
    const { body } = await start(await send(file(1, 2)));
    const isFromNow = await api.database.withTenantSql(tenant, async (tx) => {
      const job = await takeJob(tx, tenant, body.id, randomUUID());
      await tx.query('SELECT pg_sleep(0.05)');
      await recordProgress(tx, job as TakenJob, {});
      const { rows } = await tx.query(
        `SELECT lease_until > now() + make_interval(secs => ${leaseSeconds}) AS it FROM bulk_jobs WHERE id = $1`,
        [body.id],
      );
      return rows[0].it as boolean;
    });
    expect(isFromNow).toBe(true);
  });

  test('stops between two chunks when it is cancelled, and counts the merged rows', async () => {
    const { body } = await start(await send(file(1, many)));
    const { imports } = api.services;
    let cancelled: RestAnswer | undefined;
    const withTenantSql: typeof imports.database.withTenantSql = async (tenantId, use) => {
      const answer = await imports.database.withTenantSql(tenantId, use);
      if (!cancelled && (await row(body.id)).merged_to > 0)
        cancelled = await callOwn('POST', `/io/bulk-jobs/${body.id}/cancel`);
      return answer;
    };
    await runBulkJob(
      { ...imports, database: { ...imports.database, withTenantSql } },
      { tenantId: tenant, bulkJobId: body.id },
    );
    expect(cancelled?.status).toBe(202);
    const job = await ended(api, body.id, tenant);
    expect(job).toMatchObject({ status: 'cancelled', rows_read: 20_000, rows_written: 20_000 });
    expect(await products()).toBe(job.rows_written);
    expect(await callOwn('POST', `/io/bulk-jobs/${body.id}/cancel`)).toMatchObject({ status: 409 });
  });

  test('reports the progress of an export, and stops when it is cancelled', async ({ onTestFinished }) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    await api.database.tenantQuery(tenant, {
      text: `INSERT INTO products (tenant_id, sku, name) SELECT $1, 'P-' || n, 'Product' FROM generate_series(1, 8) AS n`,
      values: [tenant],
    });
    const { body } = await callOwn('POST', '/io/exports', { target: 'products', format: 'csv' });
    const path = `/io/bulk-jobs/${body['id']}`;
    const told: unknown[] = [];
    const { imports } = api.services;
    /** What Postgres sends, a row at a time. */
    async function* copyOut(...asked: Parameters<typeof imports.database.copyOut>): AsyncGenerator<Buffer> {
      for await (const chunk of imports.database.copyOut(...asked))
        for (const row of chunk.toString().split(/(?<=\n)/)) {
          // A second passes, after which progress is told.
          vi.setSystemTime(Date.now() + 1_000);
          yield Buffer.from(row);
          told.push((await callOwn('GET', path)).body['progress']);
          if (told.length === 2) await callOwn('POST', `${path}/cancel`);
        }
    }
    const database = { ...imports.database, copyOut };
    await runBulkJob({ ...imports, database }, { tenantId: tenant, bulkJobId: body['id'] as never });
    expect(told).toEqual([0.125, 0.25]);
    const { body: shown } = await callOwn('GET', path);
    expect(shown).toMatchObject({ status: 'cancelled', progress: 0.25, download_url: null });
  });

  test('waits while two others of its tenant run, and never for other tenants', async ({ ownApi }) => {
    api = ownApi;
    await begin();
    for (const each of [tenant, 'acme-outlet'])
      await makeProfile(api, { name: 'organizations', target: 'organizations' }, each);
    const customers = (many: number): string =>
      `customer_number,name\n${Array.from({ length: many }, (_, at) => `C-${at},Customer\n`).join('')}`;
    const jobs: number[] = [];
    for (let n = 0; n < 4; n += 1) {
      jobs.push((await start(await send(`${file(1, 1_000)}LAST-${n},x\n`))).body.id);
      const uploadId = await send(customers(1_000 + n));
      jobs.push((await start(uploadId, { profile: 'organizations' })).body.id);
    }
    const body = { upload_id: await upload(api, customers(3), 'acme-outlet'), profile: 'organizations' };
    const other = await callPlatform(api, 'POST', '/io/imports', { tenant: 'acme-outlet', body });
    await startImportWorker(api);
    for (const id of jobs) expect(await ended(api, id, tenant)).toMatchObject({ status: 'completed' });
    expect(await ended(api, other.body['id'] as never, 'acme-outlet')).toMatchObject({ status: 'completed' });
    const { rows } = await api.database.system.query(
      `SELECT max((SELECT count(*) FROM bulk_jobs o WHERE o.tenant_id = j.tenant_id AND o.started_at <= j.started_at
          AND o.finished_at > j.started_at))::int AS "atATime",
        max(finished_at) FILTER (WHERE tenant_id = 'acme-outlet') < max(started_at) FILTER (WHERE tenant_id <> 'acme-outlet') AS passed
       FROM bulk_jobs j`,
    );
    expect(rows).toEqual([{ atATime: 2, passed: true }]);
  });

  test('waits while two others of its tenant run, whatever their targets', async () => {
    const jobs: number[] = [];
    for (const target of ['products', 'organizations', 'contacts', 'prices'])
      jobs.push((await callOwn('POST', '/io/exports', { target, format: 'csv' })).body['id'] as never);
    const taken = await api.database.withTenantSql(tenant, async (tx) => {
      const each: (TakenJob | undefined)[] = [];
      for (const id of jobs) each.push(await takeJob(tx, tenant, id, randomUUID()));
      return each.filter((job) => job !== undefined);
    });
    expect(taken.map(({ target }) => target)).toEqual(['products', 'organizations']);
  });

  test('is answered as ended if it ended before the answer to its start', async ({ ownApi }) => {
    api = ownApi;
    await begin();
    const admin = new pg.Client({ connectionString: api.databaseUrl });
    await admin.connect();
    await admin.query(`
      CREATE FUNCTION end_at_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        UPDATE bulk_jobs SET status = 'completed', result_key = 'key', rows_read = 1, rows_rejected = 1
        WHERE tenant_id = NEW.tenant_id AND id = NEW.id;
        RETURN NULL;
      END $$;
      CREATE CONSTRAINT TRIGGER end_at_once AFTER INSERT ON bulk_jobs DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION end_at_once()`);
    await admin.end();
    const url = expect.stringMatching(/^http/);
    expect((await callOwn('POST', '/io/exports', { target: 'products', format: 'csv' })).body).toMatchObject({
      status: 'completed',
      download_url: url,
      rejects_url: url,
    });
  });

  test('keeps its staged rows while it runs, and deletes them once it has ended', async () => {
    const { body } = await start(await send(file(1, 10)));
    const left = async () => (await row(body.id)).staged as number;
    await dieWhen(body.id, (job) => job.staged === 10);
    while (await sweepStaging(api.deps));
    expect(await left()).toBe(10);
    await releaseLease(api, body.id, tenant);
    await run(body.id);
    expect(await left()).toBe(10);
    while (await sweepStaging(api.deps));
    expect(await left()).toBe(0);
  });
});

const order = ['queued', 'running', 'completed'];
