import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { verifyStock } from '#src/commerce/stock/stock-verification.service.ts';
import { demoOrg, demoTenant } from '#src/demo/demo-workflow.ts';
import { declarations } from '#src/domains/domains.ts';
import { ensureDatabase } from '#src/infra/migrations/ensure-database.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { serve } from '#test/infra/egress/loopback-server.ts';
import { startTestApp, type TestApp } from '#test/setup/app.ts';
import { server } from '#test/setup/database.ts';
import { readRun, startTestEngine, untilRun } from '#test/setup/engine.ts';
import { observeRelease, type Query, releaseKeys, sealed } from './observe-release.ts';

const releases = (await readdir(import.meta.dirname)).filter((file) => file.endsWith('.sql.gz'));
const acting = { tenant: demoTenant.id, org_id: demoOrg.id, roles: ['admin', 'operator'] };

/** A database with what a release left, as `pg_restore` would make it. */
async function restore(file: string): Promise<string> {
  const name = `release_${randomUUID().replaceAll('-', '')}`;
  await ensureDatabase(inject('postgresUrl'), name);
  onTestFinished(async () => void (await server().query(`DROP DATABASE ${name} WITH (FORCE)`)));
  const url = inject('postgresUrl').replace('/postgres?', `/${name}?`);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(gunzipSync(await readFile(join(import.meta.dirname, file))).toString('utf8'));
  await client.end();
  return url;
}

/** The app of this version on that database, with the keys of its installation. */
async function startOn(databaseUrl: string): Promise<TestApp> {
  const dataDir = await mkdtemp(join(tmpdir(), 'causeway-release-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  await mkdir(join(dataDir, 'keys'));
  for (const [purpose, key] of Object.entries(releaseKeys))
    await writeFile(join(dataDir, 'keys', `${purpose}.key`), key);
  const api = await startTestApp({ databaseUrl, dataDir });
  onTestFinished(() => api.close());
  await api.deps.vault.assertKeys();
  // The first that a worker does.
  await api.database.withSystem((tx) => tx.query('SELECT ensure_partitions()'));
  return api;
}

const createQuery =
  ({ graphql }: TestApp): Query =>
  async (document, variables) => {
    const { data, errors } = await graphql(document, variables, acting);
    expect(errors).toBeUndefined();
    return data as never;
  };

/** A system that remembers what it was sent. */
async function startReceiver() {
  const received: { authorization: string | undefined; body: unknown }[] = [];
  const receiver = await serve((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      received.push({ authorization: request.headers.authorization, body: JSON.parse(body) });
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ taken: true }));
    });
  });
  return { received, receiver };
}

test('there is the data of every release, and of one before the first', async () => {
  const changes = await readFile(join(import.meta.dirname, '../../CHANGELOG.md'), 'utf8');
  const released = [...changes.matchAll(/^## (\d+\.\d+\.\d+), (?!not released)/gm)].map(([, version]) => version);
  expect(releases).toEqual(expect.arrayContaining(released.map((version) => `${version}.sql.gz`)));
  expect(releases.length).toBeGreaterThan(0);
});

describe.for(releases)('The data of %s', (file) => {
  test('is migrated, and is as it was: orders, stock, prices, customers, webhooks, workflows and installations', async () => {
    const url = await restore(file);
    await migrate(url, declarations.jobs);
    const expected = JSON.parse(await readFile(join(import.meta.dirname, file.replace('.sql.gz', '.json')), 'utf8'));
    const api = await startOn(url);
    expect(await observeRelease(createQuery(api))).toEqual(expected);
    const differences = [];
    for await (const verified of verifyStock(api.database)) differences.push(...verified.differences);
    expect(differences).toEqual([]);
  });

  test('holds runs that go on, with the credential and the secret that were sealed', async () => {
    const url = await restore(file);
    await migrate(url, declarations.jobs);
    const api = await startOn(url);
    const query = createQuery(api);
    const { received, receiver } = await startReceiver();
    const { runs } = await query<{ runs: { edges: { node: { id: string; databaseId: number; status: string } }[] } }>(
      '{ runs(first: 40) { edges { node { id databaseId status } } } }',
    );
    const open = runs.edges.map(({ node }) => node).filter(({ status }) => status !== 'SUCCEEDED');
    expect(open.map(({ status }) => status).toSorted()).toEqual(['QUEUED', 'WAITING']);
    const engine = await startTestEngine(api, { allow: `127.0.0.1:${receiver.port}` });
    onTestFinished(() => engine.stop());
    for (const { id, databaseId } of open) {
      await untilRun(api, databaseId, 'waiting');
      const token = (await readRun(api, databaseId)).steps.find((step) => step.resume_token)?.resume_token;
      await query('mutation ($input: ResumeRunInput!) { resumeRun(input: $input) { ... on Error { message } } }', {
        input: { id, token, data: { url: receiver.url } },
      });
      expect(await untilRun(api, databaseId)).toMatchObject({ status: 'succeeded', result: { taken: true } });
    }
    const authorization = `Bearer ${sealed.token}`;
    expect(received.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))).toEqual([
      { authorization, body: { order: 'queued', secret: sealed.secret } },
      { authorization, body: { order: 'waiting', secret: sealed.secret } },
    ]);
  });
});
