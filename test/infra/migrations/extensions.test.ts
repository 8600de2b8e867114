import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { declarations } from '#src/domains/domains.ts';
import { ensureDatabase } from '#src/infra/migrations/ensure-database.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { neededExtensions, readMigrations } from '#src/infra/migrations/migrations.ts';
import { server } from '#test/setup/database.ts';

test('a migration that needs an extension waits until the database has it', async ({ skip }) => {
  const { rows } = await server().query<{ number: number }>(
    `SELECT current_setting('server_version_num')::int AS number`,
  );
  // Until then there is no setting that hides the extensions of a server.
  if ((rows[0]?.number ?? 0) < 180_000) skip();
  const name = `bare_${randomUUID().replaceAll('-', '')}`;
  const url = inject('postgresUrl').replace('/postgres?', `/${name}?`);
  await ensureDatabase(inject('postgresUrl'), name);
  const admin = new pg.Client({ connectionString: url });
  try {
    await server().query(`ALTER DATABASE ${name} SET extension_control_path = '/nowhere'`);
    const migrations = await readMigrations();
    const waiting = migrations.filter((migration) => neededExtensions(migration).length > 0).map((one) => one.name);
    expect(waiting).not.toEqual([]);

    const applied = await migrate(url, declarations.jobs);
    expect(applied).toEqual(migrations.map((migration) => migration.name).filter((one) => !waiting.includes(one)));
    expect(await migrate(url, declarations.jobs)).toEqual([]);

    await server().query(`ALTER DATABASE ${name} RESET extension_control_path`);
    await admin.connect();
    await admin.query('CREATE EXTENSION pg_trgm');
    expect(await migrate(url, declarations.jobs)).toEqual([]);
    await admin.query('CREATE EXTENSION btree_gin');
    expect(await migrate(url, declarations.jobs)).toEqual(waiting);
    expect(await migrate(url, declarations.jobs)).toEqual([]);
  } finally {
    await admin.end();
    await server().query(`DROP DATABASE ${name} WITH (FORCE)`);
  }
});
