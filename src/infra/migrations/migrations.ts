import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Migration {
  name: string;
  sql: string;
  /** The checksum as Prisma records it: sha256 of the file, hex. */
  checksum: string;
}

/** The extensions that the first line of a migration names. It is applied once the database has them all. */
export const neededExtensions = ({ sql }: Pick<Migration, 'sql'>): string[] =>
  /^-- Needs the extensions ([a-z_, ]+)\./.exec(sql)?.[1]?.split(', ') ?? [];

const migrationsDir = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url));

/** The migrations on disk, in the order they are applied. */
export async function readMigrations(): Promise<Migration[]> {
  const entries = await readdir(migrationsDir, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.toSorted().map(async (name) => {
      const sql = await readFile(join(migrationsDir, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}
