import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startDemoErp } from '#examples/demo/demo-erp.ts';
import { demoExtension } from '#examples/demo/demo-theme.ts';
import { sampleOrder } from '#examples/demo/demo-workflow.ts';
import { keepErpKey } from '#examples/demo/erp-key.ts';
import { demoBuilt, demoHandle, seedDemo } from '#examples/demo/first-start.ts';
import { boundaryPolicy, probeBoundary, requireBoundary } from '#workers/runtime/boundary.ts';
import { openNodeRuntime } from '#workers/runtime/node-runtime.ts';
import type { Automation } from './automation/automation.ts';
import { isWorkerLive } from './automation/runs/engine/run-leases.store.ts';
import { domains, parts } from './domains/domains.ts';
import { readPersistedDocuments } from './graphql/persisted-documents.ts';
import { originRule } from './infra/cors.ts';
import { createLogger, type Logger } from './infra/logs/logger.ts';
import { createRedactor, type Redactor } from './infra/logs/redact.ts';
import type { Readiness } from './infra/readiness.ts';
import { type SupervisedProcess, superviseProcess } from './process/child-process.ts';
import { openOwnDatabase } from './process/embedded-database.ts';
import { childEnvironment, type Env, readEnv } from './process/env.ts';
import { exitWithMessage } from './process/exit.ts';
import { openFrontDoor } from './process/front-door.ts';
import { greeting } from './process/greeting.ts';
import { openIdentity } from './process/identity.ts';
import { beginLifetime, type Lifetime } from './process/lifetime.ts';
import { type MetricsServer, openMetricsServer } from './process/metrics-server.ts';
import { createMetrics, timeRequests } from './process/metrics.ts';
import { migrateWhenThere, openDeps } from './process/open-deps.ts';
import { openDomains } from './process/open-domains.ts';
import { readinessOf } from './process/readiness.ts';

/** Requests in flight get this long when the process is asked to stop; the worker's runs as long again. */
const drainMs = 30_000;
const workerModule = fileURLToPath(new URL('../workers/main.ts', import.meta.url));

/**
 * The API process. With ROLE=all it also keeps a Postgres (unless DATABASE_URL names one), a worker process, and in
 * development the demo's ERP. Whatever is opened is closed in the opposite order.
 */
async function start(given: Env, log: Logger, redactor: Redactor, lifetime: Lifetime): Promise<void> {
  const isAll = given.ROLE === 'all';
  const door = await openFrontDoor({ host: given.HOST, port: given.PORT });
  const metricsServer = await openMetrics(given, log, lifetime);
  // The API's modules are read while Postgres starts: half a second each.
  const loading = loadApp();
  loading.catch(() => undefined);
  const url = given.DATABASE_URL ?? (await ownDatabase(given, log, lifetime));

  const wantsDemo = isAll && given.SEED_DEMO && given.NODE_ENV !== 'production';
  const erp = wantsDemo
    ? await startDemoErp({
        dataDir: given.DATA_DIR,
        platformUrl: ownUrl(given.HOST, door.port),
        env: childEnvironment({}),
        ending: lifetime.signal,
        log,
      })
    : undefined;
  if (erp) lifetime.onEnd(erp.stop);
  // The demo's ERP and extension listen on loopback, which may otherwise not be called.
  const demos = [...(erp ? [erp.address] : []), ...(wantsDemo ? [demoExtension.address] : [])];
  const env = { ...given, PORT: door.port, EGRESS_ALLOW: [...given.EGRESS_ALLOW, ...demos] };
  const worker = isAll ? startWorker(env, url, lifetime.signal, log) : undefined;
  if (worker) lifetime.onEnd(() => worker.stop());

  const applied = await migrateWhenThere(url, parts.jobs, log);
  if (applied.length > 0) log.info({ migrations: applied }, 'The database was migrated.');
  const { deps, databaseTakesWrites, close } = await openDeps({
    env,
    url,
    log,
    redactor,
    purpose: 'api',
  });
  lifetime.onEnd(close);
  await deps.vault.assertKeys();
  const nodeRuntime = openNodeRuntime(env, log)(deps.egress);
  lifetime.onEnd(() => nodeRuntime.close());
  const { opened, ...open } = await openDomains(domains, { deps, nodeRuntime });
  lifetime.onEnd(() => open.close());
  await open.prepare();
  const { automation } = opened;
  const isSeeded = erp !== undefined && (await seedDemo(automation, { erpUrl: erp.url }));
  if (erp) await keepErpKey({ database: deps.database, keyScopes: opened.keyScopes }, env.DATA_DIR);

  let isSettled = false;
  const readiness = () =>
    readinessOf({
      ending: lifetime.signal,
      isStarted: isSettled,
      databaseTakesWrites,
      ...(worker && {
        workerIsLive: async () => worker.isReady() && worker.pid !== undefined && isWorkerLive(deps, worker.pid),
      }),
    });
  const registry = createMetrics(deps.database);
  const { createApp } = await loading;
  const app = await createApp({
    domains,
    opened,
    ...(await openIdentity(env, door.port, log)),
    introspection: env.INTROSPECTION || env.NODE_ENV !== 'production',
    persisted: await readPersistedDocuments(env),
    allowsOrigin: originRule(env.CORS_ORIGINS, { anyLocalhost: env.NODE_ENV !== 'production' }),
    socketsPerAddress: env.SOCKETS_PER_ADDRESS,
    rates: {
      user: { perSecond: env.API_RATE_PER_SECOND, perMinute: env.API_RATE_PER_MINUTE },
      tenant: { perSecond: env.PLATFORM_RATE, burst: env.PLATFORM_BURST },
    },
    jsonBodyLimit: env.JSON_BODY_LIMIT,
    packageBodyLimit: env.PACKAGE_BODY_LIMIT,
    readiness,
    serverFactory: door.serverFactory,
    observe: timeRequests(registry),
  });
  metricsServer.tell({ registry, readiness });
  let drained = Promise.resolve();
  app.addHook('preClose', () => drained);
  await app.ready();
  lifetime.onEnd(async () => {
    drained = door.drain(drainMs);
    await app.close();
  });
  log.info({ port: door.port }, 'The API is open.');

  if (isSeeded) await demoBuilt(deps);
  isSettled = true;
  if (env.NODE_ENV !== 'production')
    await greet(automation, { port: door.port, erpUrl: erp?.url, readiness, ending: lifetime.signal });
}

/** Where programs on this machine reach the API. */
function ownUrl(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://127.0.0.1:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

async function loadApp() {
  const [{ createApp }, { loadTypes }] = await Promise.all([import('./app.ts'), import('./schema.ts')]);
  await loadTypes(domains);
  return { createApp };
}

async function openMetrics(
  { METRICS_HOST: host, METRICS_PORT: port }: Env,
  log: Logger,
  lifetime: Lifetime,
): Promise<MetricsServer> {
  const server = await openMetricsServer({ host, port });
  lifetime.onEnd(() => server.close());
  log.info({ port: server.port }, 'Metrics are served.');
  return server;
}

async function ownDatabase({ DATA_DIR: dataDir }: Env, log: Logger, lifetime: Lifetime): Promise<string> {
  const database = await openOwnDatabase({ dataDir, log });
  lifetime.onEnd(() => database.stop());
  return database.url;
}

function startWorker(env: Env, url: string, ending: AbortSignal, log: Logger): SupervisedProcess {
  const changes = {
    ROLE: 'worker',
    PORT: String(env.PORT),
    DATABASE_URL: url,
    EGRESS_ALLOW: env.EGRESS_ALLOW.join(','),
  };
  return superviseProcess({
    name: 'worker',
    module: workerModule,
    env: childEnvironment(changes),
    drainMs,
    ending,
    log,
  });
}

async function greet(
  deps: Automation,
  options: {
    port: number;
    erpUrl: string | undefined;
    readiness: () => Promise<Readiness>;
    ending: AbortSignal;
  },
): Promise<void> {
  while ((await options.readiness()).status !== 'ready') {
    if (options.ending.aborted) return;
    await delay(50);
  }
  const handle = await demoHandle(deps);
  const url = `http://localhost:${options.port}`;
  const demo = handle === undefined ? undefined : { handle, order: sampleOrder('SO-1001') };
  process.stdout.write(greeting({ url, erpUrl: options.erpUrl, demo, readyMs: performance.now() }));
}

async function main(): Promise<void> {
  const env = readEnv();
  if (env.ROLE === 'worker') {
    const { runWorker } = await import('#workers/main.ts');
    return runWorker(env, openMetrics);
  }
  // Checked here, so that the start ends with the reason instead of a worker that does not come up.
  if (env.NODE_ENV === 'production' && env.ROLE === 'all')
    requireBoundary((await probeBoundary()).boundary, boundaryPolicy(env));
  const redactor = createRedactor();
  const log = createLogger({ level: env.LOG_LEVEL, redactor });
  const lifetime = beginLifetime({ limitMs: 2 * drainMs + 30_000, log });
  try {
    await start(env, log, redactor, lifetime);
  } catch (error) {
    // What a signal interrupts on its way up is no failure.
    if (lifetime.signal.aborted) return;
    await lifetime.end();
    throw error;
  }
}

await main().catch(exitWithMessage);
