import type pg from 'pg';
import { installQueues, type JobDefinition, queuesMark } from '#src/infra/jobs.ts';
import type { PrimaryLog } from '#src/infra/postgres/connections/primary-guard.ts';
import { pause } from '#src/infra/timing/timers.ts';
import { applyMigrations, assertRowSecurity, missingMigrations } from './apply-migrations.ts';
import { assertInstallation } from './installation.ts';
import { connectToMigrate } from './is-migrated.ts';
import { migrating } from './lock-holders.ts';
import { type LockLimits, lockLimits, type MigrationSession, withLockTimeout } from './lock-waits.ts';

interface MigrateOptions {
  /** Receives the reason of a wait. */
  log?: PrimaryLog;
  limits?: LockLimits;
  /** The number of the installation, 0 to 255. An empty database takes it, and a database that has another is refused. */
  installation?: number;
}

/**
 * Brings the database at `url` up to date: tables, roles, partitions ahead, queues. Several processes may start at the same time; one does
 * the work and the others wait for it. Returns the migrations that it applied. For a database that is up to date this takes a few queries,
 * and leaves partitions to the workers, whose first task is to make them. New partitions are needed for new ids, not because time has
 * passed.
 */
export async function migrate(
  url: string,
  jobs: readonly JobDefinition[],
  { log, limits = lockLimits, installation = 0 }: MigrateOptions = {},
): Promise<string[]> {
  const client = await connectToMigrate(url, log);
  const session: MigrationSession = { client, url, limits, say: (message) => log?.warn({}, message) };
  try {
    await assertRowSecurity(client);
    await assertInstallation(client, installation);
    if (await isUpToDate(client, jobs)) return [];
    await takeTurn(session);
    if (await isUpToDate(client, jobs)) return [];
    // Another process may have fixed it meanwhile.
    await assertInstallation(client, installation);
    const applied = await applyMigrations(session);
    const { lockMs } = session.limits;
    await withLockTimeout(session, 'Installing the queues', () =>
      installQueues(url, jobs, { name: migrating, lockMs }),
    );
    await withLockTimeout(session, 'Creating partitions', () => client.query('SELECT ensure_partitions()'));
    return applied;
  } finally {
    await client.end();
  }
}

const askEveryMs = 100;

/**
 * Waits for other processes that migrate. It polls instead of waiting in the server: building an index concurrently waits for every
 * statement that began before, so it would wait for this one, which would wait for it.
 */
async function takeTurn({ client, say, limits }: MigrationSession): Promise<void> {
  const until = performance.now() + limits.concurrentMs;
  for (let attempt = 0; ; attempt += 1) {
    const { rows } = await client.query<{ mine: boolean }>(
      `SELECT pg_try_advisory_lock(hashtext('causeway.migrate')) AS mine`,
    );
    if (rows[0]?.mine === true) return;
    if (performance.now() > until) {
      throw new Error(
        `Another process has been migrating this database for ${limits.concurrentMs / 60_000} minutes. Start again when it is done.`,
      );
    }
    if (attempt === 20) say('Another process migrates the database; this one waits for it.');
    await pause(askEveryMs);
  }
}

/** True if every migration on disk is applied, and the queues are as `jobs` define them. */
async function isUpToDate(client: pg.Client, jobs: readonly JobDefinition[]): Promise<boolean> {
  if ((await missingMigrations(client)).length > 0) return false;
  const { rows } = await client.query<{ queues: string | null }>(
    `SELECT obj_description(to_regnamespace('pgboss'), 'pg_namespace') AS queues`,
  );
  return rows[0]?.queues === queuesMark(jobs);
}
