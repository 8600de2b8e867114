import type { Deps } from '#src/infra/deps.ts';
import { AppError } from '#src/infra/errors.ts';
import type { SystemTx } from '#src/infra/postgres/database.ts';
import { lockNamed } from '#src/infra/postgres/named-locks.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';

/** Every column that refers to a stored object. Equal contents share an object, so all columns are searched before an object is deleted. */
export const objectReferences: readonly { table: string; column: string }[] = [
  { table: 'bulk_jobs', column: 'result_key' },
  { table: 'extension_assets', column: 'storage_key' },
  { table: 'package_images', column: 'storage_key' },
  { table: 'run_files', column: 'storage_key' },
  { table: 'uploads', column: 'storage_key' },
];

const referencesSql = objectReferences
  .map(({ table, column }) => `SELECT FROM ${table} WHERE ${column} = $1`)
  .join(' UNION ALL ');

type StorageDeps = Pick<Deps, 'database' | 'storage'>;

/**
 * Deletes the objects to which no table refers. `forget` first deletes the caller's rows in the same transaction, so that a crash cannot leave
 * an object without rows.
 */
export async function deleteUnused(
  { database, storage }: StorageDeps,
  keys: readonly (string | null)[],
  forget?: (tx: SystemTx, key: string) => Promise<void>,
): Promise<void> {
  for (const key of new Set(keys)) {
    if (key === null) continue;
    await database.withSystem(async (tx) => {
      await lockObject(tx, key);
      await forget?.(tx, key);
      const { rows } = await tx.query(`${referencesSql} LIMIT 1`, [key]);
      if (rows.length === 0) await storage.delete(key);
    });
  }
}

/** Checks that an object is stored before a row refers to it. Throws UNAVAILABLE if a sweep has just deleted the object. */
export async function keepObject(tx: Tx, { storage }: Pick<Deps, 'storage'>, key: string): Promise<void> {
  await lockObject(tx, key);
  if (!(await storage.exists(key))) throw new AppError('UNAVAILABLE', 'The file was not kept. Send it again.');
}

const lockObject = (tx: Tx, key: string): Promise<void> => lockNamed(tx, `uploads/${key}`);
