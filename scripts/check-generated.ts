import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '#src/infra/embedded-postgres/embedded-postgres.ts';
import { ensureDatabase } from '#src/infra/migrations/ensure-database.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { chartFiles } from './chart/chart-files.ts';
import { clientDir, differingFiles, withGeneratedClient } from './client.ts';
import { configurationFile, configurationPage } from './configuration.ts';
import { consoleFiles } from './console-graph.ts';
import { workflowsFile, workflowsPage } from './core-node-table.ts';
import { printedSchema, schemaFile } from './printed-schema.ts';
import { isSandboxChildCurrent } from './sandbox-child.ts';
import { schemaDifference } from './schema-difference.ts';
import { eventsPage, topicsFile } from './topics.ts';

/** SQL that the migrations lack for the tables that prisma/schema describes. */
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

/** Files of the client that are neither committed nor staged; none if there is no git. */
function unrecordedClient(): string[] {
  try {
    const list = execFileSync('git', ['ls-files', '--modified', '--deleted', '--others', '--', clientDir], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return list.split('\n').filter((name) => name !== '');
  } catch {
    return [];
  }
}

const faults: string[] = [];
const stale = await withGeneratedClient((generated) => differingFiles(generated, clientDir));
if (stale.length > 0) {
  faults.push(
    `prisma/generated is not what prisma/schema makes: ${stale.join(', ')}. Run \`npm run generate\` and commit it.`,
  );
} else if (unrecordedClient().length > 0) {
  faults.push('prisma/generated has changes that are not committed. Add them (`git add prisma/generated`).');
}
const schema = await printedSchema();
if (schema !== (await readFile(schemaFile, 'utf8').catch(() => ''))) {
  faults.push('schema.graphql differs from the code. Run `npm run generate`, review the change and commit it.');
}
for (const [file, text] of consoleFiles(schema)) {
  if (text === (await readFile(file, 'utf8').catch(() => ''))) continue;
  faults.push(`${file} differs from the graph. Run \`npm run generate\` and commit it.`);
}
if (configurationPage() !== (await readFile(configurationFile, 'utf8').catch(() => ''))) {
  faults.push('docs/configuration.md differs from src/process/env.ts. Run `npm run generate` and commit it.');
}
for (const [file, text] of await chartFiles()) {
  if (text === (await readFile(file, 'utf8'))) continue;
  faults.push(
    `${file} differs from package.json, src/process/env.ts or values.yaml. Run \`npm run generate\` and commit it.`,
  );
}
const events = await readFile(topicsFile, 'utf8');
if (eventsPage(events) !== events) {
  faults.push('docs/events.md differs from the topics that the domains declare. Run `npm run generate` and commit it.');
}
const workflows = await readFile(workflowsFile, 'utf8');
if (workflowsPage(workflows) !== workflows) {
  faults.push('docs/workflows.md differs from the manifests of the core nodes. Run `npm run generate` and commit it.');
}
if (!(await isSandboxChildCurrent())) {
  faults.push('workers/runtime/generated differs from workers/runtime/sandbox. Run `npm run generate` and commit it.');
}
const missing = await missingMigration();
if (missing !== '') {
  faults.push(
    `prisma/schema and prisma/migrations differ. Add a folder to prisma/migrations with a migration.sql that does:\n\n${missing}`,
  );
}
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
