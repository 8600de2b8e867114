import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '#src/infra/embedded-postgres/embedded-postgres.ts';
import { ensureDatabase, migrate } from '#src/infra/migrations/migrate.ts';
import { configurationFile, configurationPage } from './configuration.ts';
import { printedSchema, schemaFile } from './printed-schema.ts';
import { schemaDifference } from './schema-difference.ts';

/** SQL that the migrations lack to make the tables that prisma/schema describes. */
async function missingMigration(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'causeway-check-'));
  const settings = { fsync: 'off', full_page_writes: 'off' };
  const server = await startEmbeddedPostgres({ dataDir: join(directory, 'pg'), settings });
  try {
    await ensureDatabase(server.url(), 'migrated');
    await migrate(server.url('migrated'), []);
    return await schemaDifference(server.url('migrated'));
  } finally {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

const faults: string[] = [];
if ((await printedSchema()) !== (await readFile(schemaFile, 'utf8').catch(() => ''))) {
  faults.push('schema.graphql differs from the code. Run `npm run generate`, review the change and commit it.');
}
if (configurationPage() !== (await readFile(configurationFile, 'utf8').catch(() => ''))) {
  faults.push('docs/configuration.md differs from src/process/env.ts. Run `npm run generate` and commit it.');
}
const missing = await missingMigration();
if (missing !== '') {
  faults.push(
    `prisma/schema and prisma/migrations differ. Add a folder to prisma/migrations with a migration.sql that does:\n\n${missing}`,
  );
}
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
