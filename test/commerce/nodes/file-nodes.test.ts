import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import type { FileReference } from '#src/automation/node-api/file-reference.ts';
import { cancelBulkJob } from '#src/imports/bulk-jobs/bulk-jobs.service.ts';
import { importStoredFile } from '#src/imports/bulk-jobs/import-stored-file.service.ts';
import { startExportOnce } from '#src/imports/exports/export-start.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { type FileServer, sending, startFileServer } from '#test/automation/files/file-servers.ts';
import { makeProfile, ran } from '#test/imports/import-file.ts';
import { call } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { chain, fireRun, node, readyWorkflow, untilRun } from '#test/setup/engine.ts';
import { runsManyWorkflows } from '#test/setup/timeouts.ts';

const page = await readFile(new URL('../../../docs/commerce-nodes.md', import.meta.url), 'utf8');
const profile = 'Warehouse stock';
const actor = systemActor('acme', 'acme-shop');

let api: TestApp;
let server: FileServer;
test.beforeAll(async ({ api: started, startEngine }) => {
  api = started;
  const csv = 'sku,location,quantity\nMUG-1,hall,12.5\nMUG-1,main,3\n';
  server = await startFileServer({ '/stock.csv': sending(csv, { 'content-type': 'text/csv' }) });
  await startEngine({ allow: server.host });
  await api.graphql('mutation { createProduct(input: { sku: "MUG-1", name: "Mug" }) { __typename } }');
  await makeProfile(api, { name: profile });
});
test.afterAll(() => server.close());

/** A workflow of the page, which speaks to the server of the test. */
const example = (name: string): Parameters<typeof readyWorkflow>[1] => {
  const [, text = ''] = new RegExp(`^\`\`\`json ${name}\\n([^\`]*)^\`\`\`$`, 'm').exec(page) ?? [];
  return JSON.parse(text.replaceAll('https://erp.example.com', server.url)) as never;
};

interface Outputs {
  body: FileReference;
  file: FileReference;
  job: { id: number; kind: string; status: string; profile: string | null };
}

async function run(blob: Parameters<typeof readyWorkflow>[1], payload: unknown = {}) {
  const ended = await untilRun(api, await fireRun(api, await readyWorkflow(api, blob), payload));
  const steps = ended.steps.map((step) => ({ ...step, outputs: step.outputs as Outputs }));
  return { ...ended, steps, outputs: Object.fromEntries(steps.map(({ path, outputs }) => [path, outputs])) };
}

const fetchFile = async (): Promise<FileReference> => {
  const { outputs } = await run({
    nodes: [node('get', 'http-request', { url: `${server.url}/stock.csv`, answer: 'file' })],
  });
  return (outputs['get'] as Outputs).body;
};

const query = async (text: string, ...values: unknown[]) => (await api.database.system.query(text, values)).rows;

/** Runs the jobs that wait, in their order: those of a target run one after the other. */
async function runWaiting(): Promise<void> {
  const waiting = await query(`SELECT id FROM bulk_jobs WHERE status = 'queued' ORDER BY id`);
  for (const { id } of waiting) await ran(api, id);
}

test(
  'a file is imported without a copy, and the file of an export is sent, as the page says',
  runsManyWorkflows,
  async () => {
    const imported = await run(example('import'));
    expect(imported.error).toBeNull();
    const { job } = imported.outputs['import'] as Outputs;
    expect(job).toMatchObject({ kind: 'import', target: 'stock', profile, status: 'queued', rows_read: 0 });
    expect(await ran(api, job.id)).toMatchObject({ status: 'completed', rows_written: 2, rows_rejected: 0 });
    const [upload] = await query(
      `SELECT u.filename, u.content_type, u.bytes, u.storage_key = f.storage_key AS same FROM bulk_jobs j
        JOIN uploads u ON u.tenant_id = j.tenant_id AND u.id = j.upload_id JOIN run_files f ON f.id = $2 WHERE j.id = $1`,
      job.id,
      (imported.outputs['fetch'] as Outputs).body.file,
    );
    expect(upload).toEqual({ filename: 'stock.csv', content_type: 'text/csv', bytes: 51, same: true });

    const started = (await run(example('export'))).outputs['export'] as Outputs;
    expect(started.job).toMatchObject({ kind: 'export', target: 'stock', profile: null, status: 'queued' });
    await ran(api, started.job.id);
    const sent = await run(example('send'), { data: { id: started.job.id } });
    expect(sent.error).toBeNull();
    expect(sent.outputs['get']).toMatchObject({
      file: { name: `stock-${started.job.id}.csv`, type: expect.stringContaining('text/csv') },
      job: { id: started.job.id, status: 'completed', rows_written: 1 },
    });
    expect(server.got.map(({ url, body }) => [url, body.toString()])).toEqual([
      ['/in/stock.csv', 'sku,location,quantity\nMUG-1,hall,12.5\n'],
    ]);
  },
);

test('repeated attempts of a step start one job, and other steps another', async () => {
  const { name, type, size } = await fetchFile();
  const [{ key: storageKey } = {}] = await query('SELECT storage_key AS key FROM run_files LIMIT 1');
  const start = async (idempotencyKey: string) =>
    importStoredFile(api.services.imports, actor, {
      file: { name, type, size, storageKey },
      profile,
      dryRun: true,
      idempotencyKey,
    });
  const [first, second, third] = await Promise.all([start('step 1'), start('step 1'), start('step 2')]);
  expect([first.id === second.id, first.id === third.id]).toEqual([true, false]);

  const exported = (idempotencyKey: string) =>
    startExportOnce(api.services.imports, actor, { target: 'stock', idempotencyKey });
  const [one, same, other] = await Promise.all([exported('step 3'), exported('step 3'), exported('step 4')]);
  expect([one.id === same.id, one.id === other.id]).toEqual([true, false]);
  expect(await query(`SELECT count(*) FROM bulk_jobs WHERE idempotency_key LIKE 'step %'`)).toEqual([{ count: 4 }]);
});

test('a refused step has the code of its error, and says what to do', runsManyWorkflows, async () => {
  const file = await fetchFile();
  const exported = async (idempotencyKey: string) =>
    Number((await startExportOnce(api.services.imports, actor, { target: 'stock', idempotencyKey })).id);
  const deleted = await exported('a');
  await runWaiting();
  const [cancelled, queued] = [await exported('b'), await exported('c')];
  await query('UPDATE bulk_jobs SET result_key = NULL WHERE id = $1', deleted);
  await cancelBulkJob(api.services.imports, actor, BigInt(cancelled));
  const { outputs } = await run(example('import'));
  const imported = (outputs['import'] as Outputs).job.id;

  const refusals: [string, object, string, string][] = [
    ['start-import', { file, profile: 'None' }, 'VALIDATION_FAILED', 'profile: There is no profile'],
    ['start-import', { file: { file: `file_${'A'.repeat(22)}` }, profile }, 'FILE_NOT_FOUND', 'no such file'],
    ['start-import', { file: 'stock.csv', profile }, 'INVALID_CONFIG', 'config.file: must be a file reference'],
    ['start-export', {}, 'VALIDATION_FAILED', 'target: Name what to export'],
    ['start-export', { target: 'stock', format: 'pdf' }, 'VALIDATION_FAILED', 'format: '],
    ['get-export-file', { export_id: 999_999 }, 'NOT_FOUND', 'There is no export 999999.'],
    ['get-export-file', { export_id: imported }, 'NOT_FOUND', `There is no export ${imported}.`],
    ['get-export-file', { export_id: queued }, 'CONFLICT', 'is queued'],
    ['get-export-file', { export_id: cancelled }, 'CONFLICT', 'is cancelled, so it has no file.'],
    ['get-export-file', { export_id: deleted }, 'GONE', 'Start the export again.'],
  ];
  const nodes = refusals.map(([name, config], at) => ({
    ...node(`n${at}`, 'set', config),
    node: `commerce:${name}`,
    on_error: 'continue',
  }));
  const { steps } = await run({ nodes });
  const errors = Object.fromEntries(steps.map(({ path, error }) => [path, error]));
  for (const [at, [, , code, message]] of refusals.entries())
    expect(errors[`n${at}`]).toMatchObject({ code, message: expect.stringContaining(message) });
});

test('a step with a retry waits for the file of an export of its own run', async () => {
  const retry = { limit: 100, delay_ms: 50, backoff: 'fixed' };
  const nodes = [
    { ...node('export', 'set', { target: 'stock' }), node: 'commerce:start-export' },
    {
      ...node('get', 'set', { export_id: '{{ nodes.export.outputs.job.id }}' }),
      node: 'commerce:get-export-file',
      retry,
    },
  ];
  const runId = await fireRun(api, await readyWorkflow(api, { nodes, edges: chain('export', 'get') }));
  await untilRun(api, runId, (run) => run.steps.some(({ path, error }) => path === 'get' && error !== null));
  await runWaiting();
  expect(await untilRun(api, runId)).toMatchObject({ status: 'succeeded' });
});

test('a test of a node starts no job', async () => {
  const before = await query('SELECT count(*) FROM bulk_jobs');
  for (const [name, config] of [
    ['start-import', { file: { file: `file_${'A'.repeat(22)}` }, profile }],
    ['start-export', { target: 'stock' }],
  ] as const) {
    const { status, body } = await call(api, 'POST', `/nodes/commerce:${name}/1.0.0/execute:test`, {
      body: { config },
    });
    expect([status, body['error']]).toMatchObject([422, { code: 'NOT_AVAILABLE' }]);
  }
  expect(await query('SELECT count(*) FROM bulk_jobs')).toEqual(before);
});
