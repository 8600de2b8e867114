import { execFile } from 'node:child_process';
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { corePackage } from '#src/automation/core-nodes/core-package.ts';
import { type BuiltinNodes, openBuiltins } from '#src/automation/node-api/builtin-package.ts';
import { registerBuiltinPackages } from '#src/automation/packages/builtin-packages.service.ts';
import { commercePackage } from '#src/commerce/nodes/commerce-package.ts';
import { parts } from '#src/domains/domains.ts';
import type { Deps } from '#src/infra/deps.ts';
import { startEmbeddedPostgres } from '#src/infra/embedded-postgres/embedded-postgres.ts';
import { ensureDatabase, migrate } from '#src/infra/migrations/migrate.ts';
import { openDatabase } from '#src/infra/postgres/database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of the server's maintenance database; tests clone `causeway_template` from it. */
    postgresUrl: string;
    /** Directory of an empty cluster, for tests that start a server of their own. */
    cluster: string;
  }
}

export const templateDatabase = 'causeway_template';

/** The log that the server keeps, and the databases of a dozen files. */
const neededBytes = 4 * 2 ** 30;

/** One real Postgres for the whole run, with one migrated template that each test file clones. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // What they describe needs nothing that is open. First: a node without a manifest is told before a server is started, which would keep the run from ending.
  const builtins = openBuiltins([corePackage, commercePackage({} as Deps)]);
  const directory = await mkdtemp(join(await inMemory(), 'causeway-test-'));
  // Nothing here outlives the run, so nothing needs to reach the disk; tests of durability start a server of their own.
  const settings = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', max_connections: '400' };
  const dataDir = join(directory, 'pg');
  const cluster = join(directory, 'empty');
  await (await startEmbeddedPostgres({ dataDir, settings })).stop();
  await promisify(execFile)('cp', ['-a', dataDir, cluster]);
  const server = otherServer() ?? (await startEmbeddedPostgres({ dataDir, settings }));
  await drop(server.url(), templateDatabase);
  await ensureDatabase(server.url(), templateDatabase);
  await migrate(server.url(templateDatabase), parts.jobs);
  await registerCore(server.url(templateDatabase), builtins);
  project.provide('postgresUrl', server.url());
  project.provide('cluster', cluster);
  return async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  };
}

/**
 * A directory in memory where the host has one with room. Each test file makes a database of some thousand files and drops it: on ext4 an
 * eighth of the processor time of all tests goes into finding inodes for them.
 */
async function inMemory(): Promise<string> {
  const memory = '/dev/shm';
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize >= neededBytes ? memory : tmpdir();
}

/** A server of another version, with the form `postgres://user@host:port/postgres?sslmode=disable` and 400 connections. */
function otherServer() {
  const url = process.env['TEST_POSTGRES_URL'];
  if (url === undefined) return undefined;
  return { url: (database = 'postgres') => url.replace('/postgres?', `/${database}?`), stop: async () => undefined };
}

async function drop(url: string, database: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
  await client.end();
}

/** As every start of the product does. */
async function registerCore(url: string, builtins: BuiltinNodes): Promise<void> {
  const database = openDatabase({ url, poolSize: 2 });
  await registerBuiltinPackages({ database, builtins });
  await database.close();
}
