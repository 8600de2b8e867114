import { execFile } from 'node:child_process';
import { access, constants, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { corePackage } from '#src/automation/core-nodes/core-package.ts';
import { type BuiltinNodes, openBuiltins } from '#src/automation/node-api/builtin-package.ts';
import { registerBuiltinPackages } from '#src/automation/packages/builtin-packages.service.ts';
import { commercePackage } from '#src/commerce/nodes/commerce-package.ts';
import { declarations } from '#src/domains/domains.ts';
import type { Deps } from '#src/infra/deps.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#src/infra/embedded-postgres/embedded-postgres.ts';
import { ensureDatabase } from '#src/infra/migrations/ensure-database.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { openDatabase } from '#src/infra/postgres/database.ts';
import type { Services } from '#src/infra/services.ts';
import { templateDatabase } from './template-database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of the server's maintenance database; tests clone `causeway_template` from it. */
    postgresUrl: string;
    /** Directories of clusters for tests that start a server of their own: an empty one, and one with the migrated template. */
    clusters: { empty: string; migrated: string };
  }
}

/** The log that the server keeps, and the databases of a dozen files. */
const neededBytes = 4 * 2 ** 30;

/** One real Postgres for the whole run, with one migrated template that each test file clones. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Their descriptions need no open services. First, because a node without a manifest is reported before a server is started, which would
  // keep the run from ending.
  const builtins = openBuiltins([corePackage, commercePackage({} as Deps, {} as Services)]);
  const directory = await mkdtemp(join(await inMemory(), 'causeway-test-'));
  // Workers inherit it, so tests keep their servers and files there as well.
  process.env['TMPDIR'] = directory;
  // Nothing here outlives the run, so nothing needs to reach the disk; tests of durability start a server of their own.
  const settings = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', max_connections: '400' };
  const dataDir = join(directory, 'pg');
  const start = () => startEmbeddedPostgres({ dataDir, settings });
  const copyTo = (copy: string) => promisify(execFile)('cp', ['-a', dataDir, copy]);
  const clusters = { empty: join(directory, 'empty'), migrated: join(directory, 'migrated') };
  await (await start()).stop();
  await copyTo(clusters.empty);
  const first = await start();
  await makeTemplate(first, builtins);
  await first.stop();
  await copyTo(clusters.migrated);
  const other = otherServer();
  if (other) await makeTemplate(other, builtins);
  const server = other ?? (await start());
  project.provide('postgresUrl', server.url());
  project.provide('clusters', clusters);
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
  return bavail * bsize >= neededBytes && (await mayHoldPrograms(memory)) ? memory : tmpdir();
}

/** Tests run programs that they have written, which some hosts allow in no memory. */
async function mayHoldPrograms(directory: string): Promise<boolean> {
  const program = join(directory, `causeway-test-${process.pid}`);
  try {
    await writeFile(program, '', { mode: 0o700 });
    await access(program, constants.X_OK);
    return true;
  } catch {
    return false;
  } finally {
    await rm(program, { force: true });
  }
}

/** A server of another version, with the form `postgres://user@host:port/postgres?sslmode=disable` and 400 connections. */
function otherServer() {
  const url = process.env['TEST_POSTGRES_URL'];
  if (url === undefined) return undefined;
  return { url: (database = 'postgres') => url.replace('/postgres?', `/${database}?`), stop: async () => undefined };
}

async function makeTemplate({ url }: Pick<EmbeddedPostgres, 'url'>, builtins: BuiltinNodes): Promise<void> {
  await drop(url(), templateDatabase);
  await ensureDatabase(url(), templateDatabase);
  await migrate(url(templateDatabase), declarations.jobs);
  await registerCore(url(templateDatabase), builtins);
}

async function drop(url: string, database: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
  await client.end();
}

/** The same as at every start of the product. */
async function registerCore(url: string, builtins: BuiltinNodes): Promise<void> {
  const database = openDatabase({ url, poolSize: 2 });
  await registerBuiltinPackages({ database, builtins });
  await database.close();
}
