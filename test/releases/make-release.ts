import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import pg from 'pg';
import { createDemoClient } from '#bin/commands/demo/demo-client.ts';
import { installDemoTheme } from '#bin/commands/demo/install-demo-theme.ts';
import { startServerProcess } from '#bin/server-process.ts';
import { demoExtension } from '#src/demo/demo-theme.ts';
import { demoOrg, demoTenant } from '#src/demo/demo-workflow.ts';
import { productVersion } from '#src/infra/product-version.ts';
import { childEnvironment } from '#src/process/env.ts';
import { startServer } from '#test/process/running-server.ts';
import { observeRelease, type Query, releaseKeys, sealed, waitingBlob } from './observe-release.ts';

/*
 * Writes the data of a release: a dump of a database that this version has filled, and what is in it. It takes the URL of a Postgres of the
 * oldest version that is supported, since no dump can be restored into an older one, as a superuser, and `pg_dump` of that version on PATH:
 *
 *   node test/releases/make-release.ts postgres://postgres@127.0.0.1:5432/postgres
 */

const [given = ''] = process.argv.slice(2);
const name = 'causeway_release';
const url = given.replace(/\/postgres$/, `/${name}`);
if (url === given) throw new Error('Name a server: postgres://postgres@127.0.0.1:5432/postgres.');
const dataDir = await mkdtemp(join(tmpdir(), 'causeway-release-'));
const settings = {
  DATABASE_URL: url,
  CREDENTIALS_KEY: releaseKeys.credentials,
  SECRETS_KEY: releaseKeys.secrets,
  CONSOLE: 'off',
};

async function recreateDatabase(): Promise<void> {
  const client = new pg.Client({ connectionString: given });
  await client.connect();
  await client.query(`DROP DATABASE IF EXISTS ${name}`);
  await client.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`);
  await client.end();
}

async function within<T>(
  role: 'all' | 'api',
  work: (query: Query, server: ReturnType<typeof startServer>) => Promise<T>,
) {
  const server = startServer(dataDir, { ...settings, ROLE: role, SEED_DEMO: '1' });
  try {
    await server.untilReady();
    const roles = ['--role', 'admin', '--role', 'operator'];
    const token = (await server.run('token', '--org', demoOrg.id, '--tenant', demoTenant.id, ...roles)).trim();
    return await work(createDemoClient({ url: server.url, token, tenant: demoTenant.id }).query, server);
  } finally {
    server.child.kill('SIGTERM');
    await server.exited;
  }
}

/** Runs a mutation and answers its payload. */
async function mutate<Payload>(query: Query, field: string, input: object, selection: string): Promise<Payload> {
  const type = `${field[0]?.toUpperCase()}${field.slice(1)}`;
  const answer = await query<Record<string, Payload & { message?: string }>>(
    `mutation ($input: ${type}Input!) { ${field}(input: $input) { ... on ${type}Payload { ${selection} } ... on Error { message } } }`,
    { input },
  );
  if (answer[field]?.message !== undefined) throw new Error(`${field}: ${answer[field].message}`);
  return answer[field] as Payload;
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isSo()); tries += 1) {
    if (tries > 600) throw new Error(`Waited in vain until ${what}.`);
    await delay(200);
  }
}

const startWaiting = (query: Query, workflowId: string, order: string) =>
  mutate<{ run: { id: string } }>(query, 'startRun', { workflowId, payload: { order } }, 'run { id }');

await recreateDatabase();
try {
  const workflowId = await within('all', async (query, server) => {
    await server.run('demo', '--url', server.url);
    const site = await startServerProcess({
      folder: join(import.meta.dirname, '../../examples/reviews-extension'),
      entry: 'server.ts',
      env: childEnvironment({ HOST: demoExtension.host, PORT: String(demoExtension.port) }),
      url: `http://${demoExtension.address}`,
      io: { err: (text) => void process.stderr.write(text) },
    });
    try {
      await installDemoTheme({ query }, `http://${demoExtension.address}`);
    } finally {
      await site.close();
    }
    await mutate(query, 'putSecret', { key: 'RELEASE', value: sealed.secret }, 'secret { key }');
    const held = { name: 'ERP', credentialTypeSlug: 'core:bearer', config: { token: sealed.token } };
    const { credential } = await mutate<{ credential: { databaseId: number } }>(
      query,
      'createCredential',
      held,
      'credential { databaseId }',
    );
    const destination = { name: 'Warehouse', url: 'https://hooks.example.com/in', topics: ['stock.changed'] };
    await mutate(query, 'createWebhookDestination', destination, 'webhookDestination { id }');
    const { workflow } = await mutate<{ workflow: { id: string } }>(
      query,
      'createWorkflow',
      { name: 'Waits', blob: waitingBlob(credential.databaseId) },
      'workflow { id }',
    );
    await mutate(
      query,
      'createTrigger',
      { workflowId: workflow.id, type: 'MANUAL', name: 'By hand' },
      'trigger { id }',
    );
    await until('the workflow is built', async () => {
      const built = await query<{ workflow: { bundle: { status: string } } }>(
        'query ($id: ID!) { workflow(id: $id) { bundle { status } } }',
        { id: workflow.id },
      );
      return built.workflow.bundle.status === 'READY';
    });
    const { run } = await startWaiting(query, workflow.id, 'waiting');
    await until('the run waits', async () => {
      const found = await query<{ run: { status: string } }>('query ($id: ID!) { run(id: $id) { status } }', {
        id: run.id,
      });
      return found.run.status === 'WAITING';
    });
    return workflow.id;
  });
  // Without a worker, so that a run and an event are still to come.
  const observed = await within('api', async (query) => {
    await startWaiting(query, workflowId, 'queued');
    const positions = [{ sku: 'LAMP-01', quantity: '2', unitPrice: '59' }];
    await mutate(query, 'createOrder', { currency: 'EUR', positions }, 'order { id }');
    return observeRelease(query);
  });
  const dump = await promisify(execFile)('pg_dump', ['--no-owner', '--inserts', '--rows-per-insert=500', url], {
    maxBuffer: 2 ** 28,
  });
  // Commands of psql, which everything but psql refuses.
  const sql = dump.stdout.replaceAll(/^\\.*\n/gm, '');
  const file = join(import.meta.dirname, productVersion);
  await writeFile(`${file}.sql.gz`, gzipSync(sql, { level: 9 }));
  await writeFile(`${file}.json`, `${JSON.stringify(observed, undefined, 2)}\n`);
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
