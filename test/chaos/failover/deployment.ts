import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { createProduct } from '#src/commerce/products/products.service.ts';
import { declarations } from '#src/domains/domains.ts';
import { createApiKey } from '#src/identity/api-keys/api-keys.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { openDatabase } from '#src/infra/postgres/database.ts';
import { adminHeaders } from '#test/chaos/deployment.ts';
import { startApi, startWorker } from '#test/chaos/processes.ts';
import { startReceiver } from '#test/commerce/webhooks/receiver.ts';
import { chain, node, readyWorkflow } from '#test/setup/engine.ts';
import { type Cluster, openCluster, until } from './cluster.ts';
import { collectFindings, type Findings, hasRecovered, hookPath, settle, stepPath } from './findings.ts';
import { type Probed, startProbes } from './probes.ts';
import type { Scenario } from './scenarios.ts';
import { type Command, startTraffic, type Target } from './traffic.ts';
import { openViews } from './views.ts';

export interface DeploymentOptions {
  apis: number;
  workers: number;
  /** Each has an API key of its own. */
  clients: number;
  pauseMs: number;
}

export interface PlayOptions {
  /** How long the database stays away. */
  awayMs: number;
  /** Milliseconds of load before and after. */
  loadMs: number;
  settleMs: number;
}

export interface Played extends Findings {
  /** In what ways requests were refused. */
  refusals: string[];
  /** By API. */
  probed: Probed[];
}

/** API and worker processes on a cluster, an ERP that they call, and clients. Every scenario is played on what the former ones have left. */
export interface Deployment {
  play(scenario: Scenario, options: PlayOptions): Promise<Played>;
  cluster: Cluster;
  apis: Target[];
  isAlive(): boolean;
  close(): Promise<void>;
}

const sku = 'MUG';
const tenantId = 'acme-shop';
const count = <T>(many: number, make: (at: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: many }, (_, at) => make(at)));

export async function openDeployment(options: DeploymentOptions): Promise<Deployment> {
  const dataDir = await mkdtemp(join(tmpdir(), 'causeway-failover-data-'));
  const [cluster, receiver] = await Promise.all([openCluster(), startReceiver()]);
  const { url: databaseUrl } = cluster;
  const start = () => startApi({ databaseUrl, dataDir, allow: receiver.address });
  // The first makes the keys in the directory that all of them share.
  const first = await start();
  const [others, workers] = await Promise.all([
    count(options.apis - 1, start),
    count(options.workers, () => startWorker({ databaseUrl, dataDir, allow: receiver.address })),
  ]);
  const apis = [first, ...others];
  const targets = await Promise.all(
    apis.map(async ({ url, port }) => ({ url, admin: await adminHeaders(dataDir, port) })),
  );

  const database = openDatabase({ url: databaseUrl, poolSize: 2, onError: () => undefined });
  const actor = systemActor('acme', tenantId);
  await createProduct({ database } as never, actor, { sku, name: sku });
  const keyScopes = declarations.scopes.map(({ name }) => name);
  const keys = await count(options.clients, async (of) => {
    const { secret } = await createApiKey({ database, keyScopes }, actor, { name: `ERP ${of}`, scopes: ['*'] });
    return { 'x-platform-tenant': tenantId, 'x-platform-api-key': secret };
  });
  const post = async (path: string, body: object): Promise<void> => {
    const headers = { 'content-type': 'application/json', ...keys[0] };
    const answer = await fetch(`${targets[0]?.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (answer.status !== 201) throw new Error(await answer.text());
  };
  // More than is ever ordered: a receipt that was acknowledged may be lost.
  const stock = { sku, kind: 'receipt', quantity: '1000000', reference: 'opening' };
  await post('/v1/inventories/movements', stock);
  const { handle } = await readyWorkflow({ database }, callsTwice(`${receiver.url}${stepPath}`));
  await database.close();
  await post('/v1/webhooks/destinations', {
    name: 'ERP',
    url: `${receiver.url}${hookPath}`,
    topics: ['order.created'],
  });
  const views = await Promise.all(targets.map(openViews));

  const processes = [...apis, ...workers];
  const { arrived } = receiver;
  const commands: Command[] = [];
  let played = 0;
  return {
    async play(scenario, { awayMs, loadMs, settleMs }) {
      played += 1;
      const label = `play-${played}`;
      if (scenario.standby) await cluster.addStandby(scenario.standby);
      const logged = processes.map(({ log }) => log.length);
      const watched = { cluster, apis: targets, keys, views, arrived, commands };
      const probes = targets.map(({ url }) => startProbes(url));
      const traffic = startTraffic({ label, apis: targets, keys, sku, handle, pauseMs: options.pauseMs });
      await delay(loadMs / 2);
      const usualFrom = Date.now();
      await delay(loadMs / 2);
      await scenario.run(cluster, awayMs);
      // Through the proxy, as the product sees it.
      await until(async () => takesWrites(databaseUrl));
      const backAt = Date.now();
      await delay(loadMs);
      // However busy the machine is; what does not come in time is a finding.
      await until(async () => hasRecovered(watched, traffic.commands, backAt)).catch(() => undefined);
      await traffic.stop();
      const probed = await Promise.all(probes.map((probe) => probe.stop()));
      commands.push(...traffic.commands);
      await settle({ cluster }, settleMs);
      const logs = processes.map(({ log }, at) => log.slice(logged[at]));
      const findings = await collectFindings({ ...watched, logs }, { label, usualFrom, backAt });
      return { ...findings, refusals: [...traffic.refusals], probed };
    },
    cluster,
    apis: targets,
    isAlive: () => processes.every((process) => process.isAlive()),
    async close() {
      for (const view of views) view.close();
      for (const process of processes) process.signal('SIGKILL');
      await Promise.all(processes.map(({ exited }) => exited));
      await receiver.close();
      await cluster.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** A run is under way for a while, between two calls that act outside. */
const callsTwice = (url: string) => {
  const call = (id: string) =>
    node(id, 'http-request', { method: 'POST', url, body: { name: '{{ nodes.map.outputs.name }}', call: id } });
  return {
    nodes: [
      node('map', 'set', { values: { name: '{{ trigger.payload.body.name }}' } }),
      call('first'),
      node('pause', 'wait', { duration_ms: 300 }),
      call('second'),
      node('end', 'set', { values: { name: '{{ trigger.payload.body.name }}' } }),
    ],
    edges: chain('map', 'first', 'pause', 'second', 'end'),
  };
};

async function takesWrites(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000, application_name: 'probe' });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query(
      `SELECT NOT pg_is_in_recovery() AND current_setting('transaction_read_only') = 'off' AS writable`,
    );
    return (rows[0] as { writable: boolean }).writable;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
