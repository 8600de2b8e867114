import pg from 'pg';
import { expect } from 'vitest';
import { chunkRows } from '#src/imports/targets/target.ts';
import { makeProfile, ran, upload } from '#test/imports/import-file.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import { runBulkJob } from '#workers/imports/bulk-jobs.worker.ts';

const rows = 20;
const refuseProgress = `
  CREATE FUNCTION refuse_progress() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not now'; END $$;
  CREATE TRIGGER refuse_progress BEFORE UPDATE ON bulk_jobs
    FOR EACH ROW WHEN (NEW.merged_to > OLD.merged_to) EXECUTE FUNCTION refuse_progress()`;

test('a chunk commits with the record of its merge, or not at all', async ({ ownApi: api }) => {
  await makeProfile(api, { name: 'products', target: 'products' });
  const lines = Array.from({ length: rows }, (_, n) => `S-${n},Mug`);
  const body = { upload_id: await upload(api, ['sku,name', ...lines].join('\n')), profile: 'products' };
  const { id } = (await callPlatform(api, 'POST', '/io/imports', { body })).body as unknown as { id: number };
  const asOwner = async (statements: string): Promise<void> => {
    const client = new pg.Client({ connectionString: api.databaseUrl });
    await client.connect();
    await client.query(statements);
    await client.end();
  };
  const countProducts = async (): Promise<number> => {
    const found = await callPlatform(api, 'GET', '/products?limit=1');
    return found.body['total'] as unknown as number;
  };

  await asOwner(refuseProgress);
  await runBulkJob(api.services.imports, { tenantId: 'acme-shop', bulkJobId: id });
  const left = await callPlatform(api, 'GET', `/io/bulk-jobs/${id}`);
  expect(left.body).toMatchObject({ status: 'running', rows_read: rows, rows_written: 0 });
  expect(await countProducts()).toBe(0);

  await asOwner('DROP TRIGGER refuse_progress ON bulk_jobs');
  expect(await ran(api, id)).toMatchObject({ status: 'completed', rows_written: rows });
  expect(await countProducts()).toBe(rows);
});

test('a file whose chunks are merged in pairs gives the same records', async ({ ownApi: api }) => {
  await makeProfile(api, { name: 'products', target: 'products' });
  const many = chunkRows + 5;
  const lines = Array.from({ length: many }, (_, n) => `S-${n},Mug ${n % 7}`);
  const body = { upload_id: await upload(api, ['sku,name', ...lines].join('\n')), profile: 'products' };
  const { id } = (await callPlatform(api, 'POST', '/io/imports', { body })).body as unknown as { id: number };
  const settings = { ...api.services.imports.settings, importPairs: true };
  await runBulkJob({ ...api.services.imports, settings }, { tenantId: 'acme-shop', bulkJobId: id });
  expect((await callPlatform(api, 'GET', `/io/bulk-jobs/${id}`)).body).toMatchObject({
    status: 'completed',
    rows_read: many,
    rows_written: many,
    rows_rejected: 0,
  });
  expect((await callPlatform(api, 'GET', '/products?limit=1')).body).toMatchObject({ total: many });
});
