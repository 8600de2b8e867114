/**
 * Draws the board of deploy/grafana during a failover as an SVG, from the samples that Prometheus recorded. An API and a worker run on a
 * primary with a standby and are fired constantly; the primary is killed after a third of the time, and the standby is promoted ten seconds
 * later. Needs a `prometheus` on the path.
 * `node bench/board-failover.ts [file=board.svg] [seconds=180] [firings a second=20]`
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { declarations } from '#src/domains/domains.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { startPostgresProxy } from '#test/setup/postgres-proxy.ts';
import { startApiProcess } from './lib/api-process.ts';
import { addWorkflows, benchOrg, threeNodes } from './lib/bench-workflow.ts';
import { type DrawnPanel, drawBoard } from './lib/board-picture.ts';
import { note } from './lib/figure.ts';
import { withPostgres } from './lib/postgres.ts';
import { findFamily } from './lib/processes.ts';
import { freePort } from './lib/whole-product.ts';
import { startWorkerProcess } from './lib/worker-process.ts';

const [file = 'board.svg', ...numbers] = process.argv.slice(2);
const [seconds = 180, perSecond = 20] = numbers.map(Number);
const database = 'board';
/** Drops the log: both processes warn every second while the database is away. */
const quiet = { LOG_LEVEL: 'error' };
/** Rates over five minutes would show little of a run of three minutes. */
const window = '15s';

interface Panel {
  title: string;
  type: string;
  targets: { expr: string; legendFormat: string }[];
  fieldConfig: { defaults: { unit: string } };
}

const board = JSON.parse(await readFile(new URL('../deploy/grafana/causeway.json', import.meta.url), 'utf8')) as {
  panels: Panel[];
};

/** Scrapes the metrics of a role's processes from a port every second. */
async function startPrometheus(ports: Record<string, number>) {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-bench-board-'));
  const targets = Object.entries(ports).map(([instance, port]) => ({
    targets: [`127.0.0.1:${port}`],
    labels: { instance },
  }));
  const config = { scrape_configs: [{ job_name: 'causeway', scrape_interval: '1s', static_configs: targets }] };
  await writeFile(join(folder, 'prometheus.yaml'), JSON.stringify(config));
  const port = await freePort();
  const child = spawn(
    'prometheus',
    [
      `--config.file=${folder}/prometheus.yaml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  return {
    async query(expr: string, from: number, to: number) {
      const search = new URLSearchParams({ query: expr, start: String(from), end: String(to), step: '1' });
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/query_range?${search}`);
      const { data } = (await response.json()) as {
        data: { result: { metric: Record<string, string>; values: [number, string][] }[] };
      };
      return data.result;
    },
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Fires the workflow at this rate until it is stopped. Refused firings are not repeated. */
function startFirings(url: string, headers: Record<string, string>) {
  const over = new AbortController();
  const loop = (async () => {
    while (!over.signal.aborted) {
      fetch(url, { method: 'POST', headers, body: '{"n":1}', signal: over.signal })
        .then((response) => response.arrayBuffer())
        .catch(() => undefined);
      await delay(1_000 / perSecond);
    }
  })();
  return async () => {
    over.abort();
    await loop;
  };
}

const readSocket = (url: string): string => {
  const { host, port } = new pg.Client({ connectionString: url });
  return `${host}/.s.PGSQL.${port}`;
};

await withPostgres(async (postgres) => {
  const primaryUrl = (await postgres.createDatabase(database)).replace('@localhost/', '@/');
  await migrate(primaryUrl, declarations.jobs);
  const blob = threeNodes('core:set', { values: { ok: true } });
  const [workflow] = await addWorkflows(primaryUrl, { name: 'Orders', blob, tenants: 1 });
  if (!workflow) throw new Error('There is no workflow.');
  const standby = await postgres.addStandby(0);
  const proxy = await startPostgresProxy(readSocket(primaryUrl));
  const databaseUrl = `postgresql://postgres@127.0.0.1:${proxy.port}/${database}`;
  const ports = { api: await freePort(), worker: await freePort() };
  const api = await startApiProcess({
    databaseUrl,
    orgId: benchOrg,
    poolSize: 5,
    env: { ...quiet, METRICS_PORT: String(ports.api) },
  });
  const worker = await startWorkerProcess({ databaseUrl, env: quiet, metricsPort: ports.worker });
  const prometheus = await startPrometheus(ports);
  const headers = { ...(await api.headersFor(workflow.tenantId)), 'content-type': 'application/json' };
  const stopFirings = startFirings(`http://127.0.0.1:${api.port}/api/v1/webhooks/${workflow.handle}`, headers);
  try {
    // Wait until rates cover a whole window.
    await delay(20_000);
    const from = Date.now() / 1_000;
    await delay((seconds * 1_000) / 3);
    note('The primary is killed.');
    const killed = Date.now() / 1_000;
    for (const pid of findFamily(postgres.pid)) process.kill(pid, 'SIGKILL');
    await delay(10_000);
    const client = new pg.Client({ connectionString: standby.url(database) });
    await client.connect();
    await client.query('SELECT pg_promote()');
    await client.end();
    proxy.switchTo(readSocket(standby.url(database)));
    const promoted = Date.now() / 1_000;
    note('The standby is the primary.');
    await delay(from * 1_000 + seconds * 1_000 - Date.now());
    const drawn: DrawnPanel[] = [];
    for (const { title, type, targets, fieldConfig } of board.panels) {
      if (type !== 'timeseries') continue;
      const series: DrawnPanel['series'] = [];
      for (const { expr, legendFormat } of targets)
        for (const { metric, values } of await prometheus.query(expr.replaceAll('5m', window), from, from + seconds))
          series.push({
            name: legendFormat.replaceAll(/\{\{(\w+)\}\}/g, (_all, label: string) => metric[label] ?? ''),
            points: values
              .map(([at, value]): [number, number] => [at, Number(value)])
              .filter(([, value]) => Number.isFinite(value)),
          });
      if (series.some(({ points }) => points.length > 0))
        drawn.push({ title, unit: fieldConfig.defaults.unit, series });
      else note(`Nothing was recorded for "${title}".`);
    }
    const marks = [
      { at: killed, colour: '#b91c1c' },
      { at: promoted, colour: '#15803d' },
    ];
    const heading = `${perSecond} firings a second; red: the primary is killed, green: the standby is promoted`;
    await writeFile(file, drawBoard(drawn, heading, marks));
  } finally {
    await stopFirings();
    await prometheus.stop();
    await worker.stop();
    await api.stop();
    await proxy.close();
    await standby.stop();
  }
});
