import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Deps } from '#src/infra/deps.ts';
import { parseAllowList } from '#src/infra/egress/allow-list.ts';
import { createEgress } from '#src/infra/egress/egress.ts';
import type { Readiness } from '#src/infra/http/readiness.ts';
import { type JobDefinition, startJobs } from '#src/infra/jobs.ts';
import { PollingPubsub } from '#src/infra/live/polling-pubsub.ts';
import { createPubsub } from '#src/infra/live/pubsub.ts';
import type { Redactor } from '#src/infra/logs/redact.ts';
import { createRepeatedWarning } from '#src/infra/logs/repeated-warning.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { openDatabase } from '#src/infra/postgres/database.ts';
import { isOutage, outageRetryMs } from '#src/infra/postgres/outages.ts';
import { createSignedCursors } from '#src/infra/signing/signed-cursors.ts';
import { createUrlSigner } from '#src/infra/signing/signed-url.ts';
import { openSigningSecret } from '#src/infra/signing/signing-secret.ts';
import { openTracing } from '#src/infra/tracing/open-tracing.ts';
import { openKeyRings } from '#src/infra/vault/key-ring.ts';
import { createVault } from '#src/infra/vault/vault.ts';
import { backoff } from './backoff.ts';
import { type Env, readPoolers } from './env.ts';
import { openStorage } from './open-storage.ts';

export interface OpenDeps {
  deps: Deps;
  /** True if the database accepts writes, determined within a second. */
  databaseTakesWrites: () => Promise<boolean>;
  /** The condition that keeps the process from serving until it is restarted. */
  alarm: () => Readiness['alarm'];
  /** True unless a write has failed for lack of disk space, in the database or in files. */
  hasRoom: () => Promise<boolean>;
  bucketIsReachable: () => Promise<boolean>;
  close: () => Promise<void>;
}

/** Opens the dependencies of use cases, for an API or a worker process. */
export async function openDeps(options: {
  env: Env;
  url: string;
  log: Logger;
  /** The redactor that `log` uses. */
  redactor: Redactor;
  purpose: 'api' | 'worker';
}): Promise<OpenDeps> {
  const { env, url, log, redactor, purpose } = options;
  // First, because it opens nothing that would have to be closed if it fails.
  const storage = await openStorage(env, log);
  const warnOfBreak = createRepeatedWarning('A database connection broke; the next query opens a new one.');
  const onError = (error: Error) => warnOfBreak(log, error);
  const applicationName = `causeway-${purpose}`;
  const database = openDatabase({
    url,
    replicaUrl: env.DATABASE_REPLICA_URL,
    ...readPoolers(env),
    wakeUp: env.WAKE_UP,
    poolSize: env.DATABASE_POOL,
    applicationName,
    onError,
    log,
  });
  await database.assertRoles().catch(async (error: unknown) => {
    await database.close();
    throw error;
  });
  const jobs = await startJobs({
    database,
    onError,
    ...(purpose === 'worker' && { maintain: { url } }),
  });
  const live =
    env.WAKE_UP === 'poll' ? new PollingPubsub({ onError }) : createPubsub({ url, onError, primary: database.primary });
  const egress = createEgress({ allow: parseAllowList(env.EGRESS_ALLOW.join(',')) });
  const secret = await openSigningSecret(env.DATA_DIR, env.URL_SIGNING_SECRET);
  const publicUrl = env.PUBLIC_URL ?? `http://localhost:${env.PORT}`;
  const urlSigner = (signed: string) => createUrlSigner(secret, signed);
  const cursors = createSignedCursors(secret);
  const tracing = await openTracing(readTracing(env), purpose, log);
  const vault = createVault({ database, rings: await openKeyRings(env) });
  return {
    deps: {
      database,
      jobs,
      live,
      storage,
      vault,
      egress,
      urlSigner,
      cursors,
      publicUrl,
      tracing,
      log,
      redactor,
    },
    async databaseTakesWrites() {
      const asked = `SELECT NOT pg_is_in_recovery() AND current_setting('transaction_read_only') = 'off' AS writable`;
      const answer = database.system.query<{ writable: boolean }>(asked).then(
        ({ rows }) => rows[0]?.writable === true,
        () => false,
      );
      return Promise.race([answer, delay(1_000, false, { ref: false })]);
    },
    alarm: () => (database.primary.alarm === undefined ? undefined : 'two_primaries'),
    hasRoom: async () => (await Promise.all([database.hasRoom(), storage.hasRoom()])).every(Boolean),
    bucketIsReachable: () => storage.isReachable(),
    async close() {
      await jobs.stop();
      await egress.close();
      await tracing.close();
      await live.close();
      await database.close();
    },
  };
}

const readTracing = (env: Env) => ({
  endpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT,
  ratio: env.OTEL_TRACES_SAMPLER_ARG,
  serviceName: env.OTEL_SERVICE_NAME,
});

const databaseWaitMs = 60_000;

/**
 * Migrates the database at `url`, waiting up to a minute for one that is not up yet: processes of one deployment start
 * in any order.
 */
export async function migrateWhenThere(
  url: string,
  jobs: readonly JobDefinition[],
  options: { log: Logger; installation: number },
): Promise<string[]> {
  const deadline = Date.now() + databaseWaitMs;
  let said = '';
  for (let attempt = 0; ; attempt++) {
    try {
      return await migrate(url, jobs, options);
    } catch (error) {
      if (!isOutage(error) || Date.now() > deadline) throw error;
      // Without the stack, and once per reason: the cause is a setting or another process.
      const reason = error instanceof Error ? error.message : 'The database is not there yet.';
      if (reason !== said) options.log.warn(`${reason} The start waits for it for up to a minute.`);
      said = reason;
      await delay(backoff(attempt, outageRetryMs));
    }
  }
}
