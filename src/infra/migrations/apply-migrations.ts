import type pg from 'pg';
import { applyMigration } from './apply-migration.ts';
import type { MigrationSession } from './lock-waits.ts';
import { type Migration, neededExtensions, readMigrations } from './migrations.ts';

/** The same table as Prisma's, so that databases migrated by its engine can be continued and its tools can read ours. */
const recordTable = `
  CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id varchar(36) PRIMARY KEY NOT NULL,
    checksum varchar(64) NOT NULL,
    finished_at timestamptz,
    migration_name varchar(255) NOT NULL,
    logs text,
    rolled_back_at timestamptz,
    started_at timestamptz NOT NULL DEFAULT now(),
    applied_steps_count integer NOT NULL DEFAULT 0
  )`;

/**
 * The migrations that the database lacks, in the order they are applied, without those that need an extension which it lacks. Throws if the database has a migration that is not on disk, or was
 * migrated by a file with other contents.
 */
export async function missingMigrations(client: pg.Client): Promise<Migration[]> {
  const applied = await appliedMigrations(client);
  const onDisk = await readMigrations();
  const unknown = [...applied.keys()].filter((name) => !onDisk.some((migration) => migration.name === name));
  if (unknown.length > 0) {
    throw new Error(
      `The database has migrations that this version of Causeway does not know: ${unknown.toSorted().join(', ')}. Start the version that applied them, or a later one.`,
    );
  }
  const changed = onDisk.find(({ name, checksum }) => applied.has(name) && applied.get(name) !== checksum);
  if (changed) {
    throw new Error(
      `prisma/migrations/${changed.name}/migration.sql has changed since it was applied to this database. Restore the file, and put the change into a new migration.`,
    );
  }
  const missing = onDisk.filter(({ name }) => !applied.has(name));
  const needsAny = missing.some((migration) => neededExtensions(migration).length > 0);
  const extensions = needsAny ? await usableExtensions(client) : [];
  return missing.filter((migration) => neededExtensions(migration).every((name) => extensions.includes(name)));
}

/** The extensions whose operators are found without naming their schema. */
async function usableExtensions(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT extname AS name FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE nspname = ANY(current_schemas(true))',
  );
  return rows.map(({ name }) => name);
}

/** Checksums by name. */
async function appliedMigrations(client: pg.Client): Promise<Map<string, string>> {
  if (!(await isRecorded(client))) return new Map();
  const { rows } = await client.query<{ name: string; checksum: string }>(
    `SELECT migration_name AS name, checksum FROM _prisma_migrations
      WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`,
  );
  return new Map(rows.map(({ name, checksum }) => [name, checksum]));
}

/** Applies missing migrations, one file at a time, and returns their names. The lock must be held. */
export async function applyMigrations(session: MigrationSession): Promise<string[]> {
  const { client } = session;
  await prepareRecords(client);
  const applied: string[] = [];
  // Again after the last, because a migration may have created the extensions that others need.
  for (let missing; (missing = await missingMigrations(client)).length > 0;) {
    for (const migration of missing) await applyMigration(session, migration);
    applied.push(...missing.map(({ name }) => name));
  }
  return applied;
}

async function prepareRecords(client: pg.Client): Promise<void> {
  if (await isRecorded(client)) {
    // Prisma's engine recorded failed attempts, and its tools refuse to continue after one. None left anything behind.
    await client.query(
      'UPDATE _prisma_migrations SET rolled_back_at = now() WHERE finished_at IS NULL AND rolled_back_at IS NULL',
    );
    return;
  }
  if (await hasTables(client)) {
    throw new Error('The database has tables that are not Causeway’s. Give Causeway a database of its own.');
  }
  await assertEncoding(client);
  await assertMayAct(client);
  await assertMayCreate(client);
  await client.query(recordTable);
}

/** A cluster that was created without a locale stores bytes of any encoding (SQL_ASCII). */
async function assertEncoding(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ server_encoding: string }>('SHOW server_encoding');
  const encoding = rows[0]?.server_encoding;
  if (encoding === 'UTF8') return;
  throw new Error(
    `The database stores text as ${encoding}, and Causeway needs UTF8. Create it with ENCODING 'UTF8' TEMPLATE template0.`,
  );
}

/**
 * Throws if the user can neither create the two roles nor act as them: a later migration would fail, and leave the tables of the earlier
 * ones. Until Postgres 16, CREATEROLE may grant itself any role.
 */
async function assertMayAct(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string; me: string }>(
    `SELECT role.name, me.rolname AS me FROM pg_roles me, unnest(ARRAY['causeway_app', 'causeway_system']) AS role(name)
      WHERE me.rolname = current_user AND NOT me.rolsuper AND NOT CASE
        WHEN NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role.name) THEN me.rolcreaterole
        ELSE pg_has_role(me.oid, (SELECT oid FROM pg_roles WHERE rolname = role.name), 'MEMBER')
          OR (me.rolcreaterole AND current_setting('server_version_num')::int < 160000)
        END`,
  );
  if (rows.length === 0) return;
  const names = rows.map(({ name }) => name).join(' and ');
  throw new Error(
    `The database user ${rows[0]?.me} can neither create nor act as ${names}, so nothing was created. Grant it these roles as docs/database.md shows.`,
  );
}

/** Throws if the role that serves tenants bypasses row-level security, because each tenant would see the others' rows. */
export async function assertRowSecurity(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ attribute: string }>(
    `SELECT CASE WHEN rolsuper THEN 'SUPERUSER' ELSE 'BYPASSRLS' END AS attribute FROM pg_roles
      WHERE rolname = 'causeway_app' AND (rolsuper OR rolbypassrls)`,
  );
  const attribute = rows[0]?.attribute;
  if (attribute === undefined) return;
  throw new Error(
    `The database role causeway_app has ${attribute}, so row-level security would not keep tenants apart. Run ALTER ROLE causeway_app NO${attribute}.`,
  );
}

/** Throws if the user may not create the tables, or the schema of the queues, which is created after them. */
async function assertMayCreate(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ me: string; database: string; inDatabase: boolean; inSchema: boolean }>(
    `SELECT current_user AS me, current_database() AS database,
            has_database_privilege(current_database(), 'CREATE') AS "inDatabase",
            coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS "inSchema"`,
  );
  const [{ me, database, inDatabase, inSchema }] = rows as [(typeof rows)[number]];
  if (inDatabase && inSchema) return;
  const place = inDatabase ? 'tables in its schema public' : 'schemas';
  throw new Error(
    `The database user ${me} may not create ${place} of the database ${database}, so nothing was created. Make it the owner, and not NOINHERIT, as docs/database.md shows.`,
  );
}

async function isRecorded(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS there`,
  );
  return rows[0]?.there === true;
}

/** True if the schema that migrations write to has tables; those of extensions do not count. */
async function hasTables(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query(
    `SELECT FROM pg_class c
      WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
        AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = c.oid AND deptype = 'e')
      LIMIT 1`,
  );
  return rowCount !== 0;
}
