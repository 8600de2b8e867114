import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger } from '#src/infra/logs/logger.ts';
import { connectToMigrate } from '#src/infra/migrations/is-migrated.ts';
import { type Database, openDatabase } from '#src/infra/postgres/database.ts';
import { type KeyRings, openKeyRings } from '#src/infra/vault/key-ring.ts';
import { createVault, type Vault } from '#src/infra/vault/vault.ts';
import { openOwnDatabase, runningDatabase } from '#src/process/embedded-database.ts';
import type { Env } from '#src/process/env.ts';
import { CommandError } from './command.ts';

/** The dependencies of a command on encrypted data. */
export interface Reached {
  database: Database;
  rings: KeyRings;
  vault: Vault;
}

/**
 * Runs `work` on the database of DATABASE_URL, or else on the one in DATA_DIR: that of the Causeway that runs there, or one started for
 * this work only.
 */
export async function withDatabase<T>(env: Env, work: (database: Database, url: string) => Promise<T>): Promise<T> {
  const running = env.DATABASE_URL ?? (await runningDatabase(env.DATA_DIR));
  if (running === undefined && !existsSync(join(env.DATA_DIR, 'postgres'))) {
    throw new CommandError(
      `There is no database in DATA_DIR=${env.DATA_DIR}. Start Causeway there once, or set DATA_DIR or DATABASE_URL.`,
    );
  }
  const own = running === undefined ? await openOwn(env) : undefined;
  const url = running ?? own?.url ?? '';
  if (env.DATABASE_URL !== undefined) await assertReachable(url);
  const database = openDatabase({ url, poolSize: 4, applicationName: 'causeway-command' });
  try {
    return await work(database, url);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(
      error instanceof Error && error.message !== '' ? error.message : 'The database cannot be reached.',
    );
  } finally {
    await database.close();
    await own?.stop();
  }
}

/** Prisma's messages name its own functions; this one names the setting. */
async function assertReachable(url: string): Promise<void> {
  const client = await connectToMigrate(url).catch((error: unknown) => {
    throw new CommandError(error instanceof Error ? error.message : 'The database cannot be reached.');
  });
  await client.end();
}

export const withVault = <T>(env: Env, work: (reached: Reached) => Promise<T>): Promise<T> =>
  withDatabase(env, async (database) => {
    const rings = await openKeyRings(env);
    return work({ database, rings, vault: createVault({ database, rings }) });
  });

const openOwn = (env: Env) => openOwnDatabase({ dataDir: env.DATA_DIR, log: createLogger({ level: 'silent' }) });
