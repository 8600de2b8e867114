import { flushCompileCache } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { openNodeRuntime } from '#workers/runtime/node-runtime.ts';
import { createApp } from './app.ts';
import type { Automation } from './automation/automation.ts';
import type { ConsoleSite } from './console/console-build.ts';
import { prepareDemoErp } from './demo/demo-erp.ts';
import { demoExtension } from './demo/demo-theme.ts';
import { sampleOrder } from './demo/demo-workflow.ts';
import { keepErpKey } from './demo/erp-key.ts';
import { demoBuilt, demoHandle, seedDemo } from './demo/first-start.ts';
import { readDomainSettings } from './domains/domain-settings.ts';
import { declarations, domains } from './domains/domains.ts';
import { openDomains } from './domains/open-domains.ts';
import { readPersistedDocuments } from './graphql/persisted-documents.ts';
import { originRule } from './infra/http/cors.ts';
import type { Readiness } from './infra/http/readiness.ts';
import type { Logger } from './infra/logs/logger.ts';
import type { Redactor } from './infra/logs/redact.ts';
import type { SupervisedProcess } from './process/child-process.ts';
import { childEnvironment, type Env, archiveCli, unlikeDefaults } from './process/env.ts';
import { greeting } from './process/greeting.ts';
import { openIdentity } from './process/identity.ts';
import { drainMs, type Lifetime } from './process/lifetime.ts';
import type { Listener } from './process/listener.ts';
import type { MetricsServer } from './process/metrics/metrics-server.ts';
import { createMetrics } from './process/metrics/metrics.ts';
import { timeRequests } from './process/metrics/request-times.ts';
import { migrateWhenThere, openDeps } from './process/open-deps.ts';
import { isWorkerLive, checkReadiness } from './process/readiness.ts';
import type { WorkerSettings } from './process/worker-settings.ts';
import { loadTypes } from './schema.ts';

export interface ApiOptions {
  env: Env;
  log: Logger;
  redactor: Redactor;
  lifetime: Lifetime;
  listener: Listener;
  metricsServer: MetricsServer;
  /** The URL of the database, once it is up. */
  database: Promise<string>;
  /** The console, once it is built; absent where it is off. */
  consoleSite?: Promise<ConsoleSite>;
  /** The worker of ROLE=all, which waits for its settings. */
  worker?: SupervisedProcess;
}

/**
 * Opens the API on a port that already listens. With ROLE=all it also sends its worker the database's URL, and in development it sets up
 * the demo with its ERP. Everything is closed in reverse order.
 */
export async function runApi(options: ApiOptions): Promise<void> {
  const { env: given, log, redactor, lifetime, listener, metricsServer, worker } = options;
  // Postgres starts meanwhile.
  await loadTypes(domains);
  // Frees 13 MB of compiled code, which Node otherwise keeps until it exits to save it then. Later allocations reuse the memory.
  flushCompileCache();
  const [url, consoleSite] = await Promise.all([options.database, options.consoleSite]);
  const wantsDemo = worker && given.SEED_DEMO && given.NODE_ENV !== 'production';
  const erp = wantsDemo
    ? await prepareDemoErp({
        dataDir: given.DATA_DIR,
        platformUrl: ownUrl(given.HOST, listener.port),
        env: childEnvironment({}),
        ending: lifetime.signal,
        log,
      })
    : undefined;
  if (erp) lifetime.onEnd(erp.stop);
  // The demo's ERP and extension listen on loopback, which egress otherwise refuses.
  const demos = [...(erp ? [erp.address] : []), ...(wantsDemo ? [demoExtension.address] : [])];
  const env = { ...given, PORT: listener.port, EGRESS_ALLOW: [...given.EGRESS_ALLOW, ...demos] };
  // Registered a second time, so that it ends before the ERP that its runs call.
  if (worker) lifetime.onEnd(() => worker.stop());
  const applied = await migrateWhenThere(url, declarations.jobs, { log, installation: given.INSTALLATION });
  if (applied.length > 0) log.info({ migrations: applied }, 'The database was migrated.');
  worker?.tell({ DATABASE_URL: url, PORT: env.PORT, EGRESS_ALLOW: env.EGRESS_ALLOW } satisfies WorkerSettings);
  const { deps, close, ...checks } = await openDeps({ env, url, log, redactor, purpose: 'api' });
  lifetime.onEnd(close);
  await deps.vault.assertKeys();
  const nodeRuntime = openNodeRuntime(env, log)(deps.egress);
  lifetime.onEnd(() => nodeRuntime.close());
  const { services, ...open } = await openDomains(domains, { deps, settings: readDomainSettings(env), nodeRuntime });
  lifetime.onEnd(() => open.close());
  await open.prepare();
  const { automation } = services;
  const isSeeded = erp !== undefined && (await seedDemo(automation, { erpUrl: erp.url }));
  if (erp) await keepErpKey({ database: deps.database, keyScopes: services.keyScopes }, env.DATA_DIR);

  let isSettled = false;
  const readiness = () =>
    checkReadiness({
      ending: lifetime.signal,
      isStarted: isSettled,
      ...checks,
      ...(worker && {
        workerIsLive: async () => worker.isReady() && worker.pid !== undefined && isWorkerLive(deps, worker.pid),
      }),
    });
  const registry = createMetrics(deps.database);
  const app = await createApp({
    domains,
    services,
    ...(await openIdentity(env, listener.port, log)),
    ...(consoleSite && { consoleSite }),
    ...readLimits(env),
    introspection: env.INTROSPECTION || env.NODE_ENV !== 'production',
    persisted: await readPersistedDocuments(env, consoleSite?.build().documents),
    readiness,
    serverFactory: listener.serverFactory,
    observe: timeRequests(registry),
  });
  metricsServer.tell({ registry, readiness });
  let drained = Promise.resolve();
  app.addHook('preClose', () => drained);
  await app.ready();
  lifetime.onEnd(async () => {
    drained = listener.drain(drainMs);
    await app.close();
  });
  log.info({ port: listener.port }, 'The API is open.');

  if (isSeeded) await demoBuilt(deps);
  isSettled = true;
  if (!(await isReady(readiness, lifetime.signal))) return;
  // Done last, because it would delay the start of the API and the worker. The first query through Prisma loads its compiler, which takes
  // 0.2 s.
  await deps.database.global.org.findFirst({ select: { id: true } });
  erp?.start();
  if (env.NODE_ENV !== 'production')
    await greet(automation, {
      port: listener.port,
      dataDir: env.DATA_DIR,
      hasConsole: consoleSite !== undefined,
      erpUrl: erp?.url,
    });
}

/** Who may call, how often, and with how many bytes. */
const readLimits = (env: Env) => ({
  allowsOrigin: originRule(env.CORS_ORIGINS, { anyLocalhost: env.NODE_ENV !== 'production' }),
  socketsPerAddress: env.SOCKETS_PER_ADDRESS,
  wrongKeysPerMinute: env.WRONG_KEYS_PER_MINUTE,
  rates: {
    user: { perSecond: env.API_RATE_PER_SECOND, perMinute: env.API_RATE_PER_MINUTE },
    tenant: { perSecond: env.PLATFORM_RATE, burst: env.PLATFORM_BURST },
  },
  jsonBodyLimit: env.JSON_BODY_LIMIT,
  packageBodyLimit: env.PACKAGE_BODY_LIMIT,
});

/** The URL at which programs on this machine reach the API. */
function ownUrl(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://127.0.0.1:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Waits until the process is ready; resolves with false if it is asked to stop first. */
async function isReady(readiness: () => Promise<Readiness>, ending: AbortSignal): Promise<boolean> {
  while ((await readiness()).status !== 'ready') {
    if (ending.aborted) return false;
    await delay(50);
  }
  return true;
}

async function greet(
  deps: Automation,
  options: { port: number; dataDir: string; hasConsole: boolean; erpUrl: string | undefined },
): Promise<void> {
  const handle = await demoHandle(deps);
  const url = `http://localhost:${options.port}`;
  const demo = handle === undefined ? undefined : { handle, order: sampleOrder('SO-1001') };
  const settings = unlikeDefaults({ PORT: options.port, DATA_DIR: options.dataDir });
  process.stdout.write(greeting({ ...options, url, settings, demo, cli: archiveCli(), readyMs: performance.now() }));
}
