import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from } from 'pg-copy-streams';
import { type MigrationSession, withLockTimeout } from '#src/infra/migrations/lock-waits.ts';
import { wrapDataKey } from '#src/infra/vault/wrapped-keys.ts';
import { countTable, eventColumns, MoveError, type MoveOptions, openMove } from './export-tenant.ts';
import { installFence, inTransaction, removeFence } from './fence.ts';
import { type Manifest, readManifest, type TableEntry } from './manifest.ts';
import { type RecordMove, recordStep } from './move-audit.ts';
import type { InsertJobs } from './moved-jobs.ts';
import { copiedTables, earlyTables, mappedColumns, type MovedTable, quoted, readTenantTables } from './moved-tables.ts';
import { ArchiveError, hasSealed, readSealed, readSealedJson, type SealedFiles } from './sealed-files.ts';
import { readMove } from './source.store.ts';
import { isSameSum, sumTable, type TableSum } from './sums.ts';
import {
  findMissing,
  hasTenant,
  insertEvents,
  insertTenant,
  mapIds,
  readInstallation,
  restoreStateSums,
} from './target.store.ts';

interface ImportOptions extends Omit<MoveOptions, 'tenantId'> {
  /** Puts jobs into their queues, in the transaction of the client. */
  insertJobs: InsertJobs;
  recordMove: RecordMove;
}

export interface Imported {
  tenantId: string;
  part: Manifest['part'];
  /** By table: what has arrived, as the target counts it. */
  tables: Record<string, TableSum>;
}

/**
 * Loads an archive: its history as soon as that is there, and the rest once the source has closed the tenant, which opens it here. May be
 * repeated after an interruption: each table of the history arrives whole or not at all, and so does the rest.
 */
export async function importTenant(options: ImportOptions): Promise<Imported> {
  const { files, say } = options;
  const rest = (await hasSealed(files, 'rest/manifest')) ? await readManifest(files, 'rest') : undefined;
  const history = (await hasSealed(files, 'history/manifest')) ? await readManifest(files, 'history') : undefined;
  const newest = rest ?? history;
  if (!newest)
    throw new ArchiveError(`${files.folder} holds no archive of a tenant that is whole. Run tenant export first.`);
  const tenantId = newest.tenant.id;
  const session = await openMove({ ...options, tenantId });
  const { client } = session;
  try {
    await assertFits(client, newest);
    const tables = await readTenantTables(client);
    await beginArrival(session, newest, tables);
    await loadObjects(options, newest);
    const loaded: Record<string, TableSum> = {};
    if (history) await loadHistory(session, options, history, tables, loaded);
    if (!rest) return { tenantId, part: 'history', tables: loaded };
    await makePartitions(session, rest);
    say('Loading the rest.');
    const sums = await inTransaction(client, () => loadRest(client, options, rest, tables, history !== undefined));
    await removeFence(session, tables, tenantId);
    return { tenantId, part: 'rest', tables: sums };
  } finally {
    await client.end();
  }
}

/** Names everything that the target lacks, before anything is written. */
async function assertFits(client: pg.Client, manifest: Manifest): Promise<void> {
  const here = await readInstallation(client);
  if (here.migrations.join() !== manifest.migrations.join())
    throw new MoveError(
      'The archive was written by another version of Causeway than that of this database. Bring both installations to the same version, then export again.',
    );
  if (here.installation <= manifest.installation)
    throw new MoveError(
      `The archive is of installation ${manifest.installation}, and this is installation ${here.installation}. A tenant moves only to a higher number: its ids must not meet those given here, and new ones must follow them.`,
    );
  const missing = await findMissing(client, manifest);
  if (missing.length > 0)
    throw new MoveError(
      `This installation lacks what ${manifest.tenant.id} uses. Publish or install first:\n${missing.map((sentence) => `  ${sentence}`).join('\n')}`,
    );
}

async function beginArrival(
  session: MigrationSession,
  manifest: Manifest,
  tables: readonly MovedTable[],
): Promise<void> {
  const { client, say } = session;
  const tenantId = manifest.tenant.id;
  const move = await readMove(client, tenantId);
  if (move && (move.direction === 'out' || move.moveId !== manifest.moveId))
    throw new MoveError(
      move.direction === 'out'
        ? `${tenantId} leaves this installation, so it cannot arrive here. Import its archive in the other one.`
        : `Another archive of ${tenantId} is being imported. Finish it, or remove what has arrived by tenant forget ${tenantId}.`,
    );
  if (!move && (await hasTenant(client, tenantId)))
    throw new MoveError(
      `This installation has a tenant ${tenantId}. Nothing was written. Was the archive imported already?`,
    );
  say('Guarding the tables.');
  await installFence(session, tables, tenantId);
  if (!move) await inTransaction(client, () => insertTenant(client, manifest));
}

async function loadObjects({ files, storage }: ImportOptions, { objects }: Manifest): Promise<void> {
  for (const key of objects) {
    if (await storage.exists(key)) continue;
    const stored = await storage.put(Readable.from(readSealed(files, `objects/${key.replaceAll('/', '-')}`)), {
      maxBytes: Number.MAX_SAFE_INTEGER,
    });
    if (stored.key !== key) throw new ArchiveError(`The file ${key} has other contents than its name says.`);
  }
}

/** How full a page of a partition is left, where rows are updated a few times. */
const fills: Readonly<Record<string, number>> = { runs: 80, webhook_deliveries: 50 };

async function makePartitions(session: MigrationSession, { tables }: Manifest): Promise<void> {
  for (const [name, { partitions }] of Object.entries(tables))
    for (const part of partitions)
      await withLockTimeout(session, `Making partition ${part} of ${name}`, () =>
        session.client.query('SELECT ensure_partition($1, $2, $3)', [name, part, fills[name] ?? 100]),
      );
}

async function loadHistory(
  session: MigrationSession,
  { files, say }: ImportOptions,
  manifest: Manifest,
  tables: readonly MovedTable[],
  sums: Record<string, TableSum>,
): Promise<void> {
  const { client } = session;
  const tenantId = manifest.tenant.id;
  const loaded = new Set((await readMove(client, tenantId))?.loaded);
  await makePartitions(session, manifest);
  for (const table of earlyTables(tables)) {
    if (loaded.has(table.name)) continue;
    sums[table.name] = await inTransaction(client, async () => {
      await mapIds(client, manifest);
      await loadTable(client, files, 'history', table);
      await client.query('UPDATE tenant_moves SET loaded = loaded || $2::text WHERE tenant = $1', [
        tenantId,
        table.name,
      ]);
      const sum = await sumTable(client, table, tenantId);
      assertSum(table.name, sum, manifest.tables[table.name]?.copied);
      return sum;
    });
    say(`${table.name}: ${sums[table.name]?.rows} rows`);
  }
}

function assertSum(name: string, found: TableSum, expected: TableSum | undefined): void {
  if (isSameSum(found, expected)) return;
  throw new ArchiveError(
    `${name} has ${found.rows} rows with the sum ${found.hash} here, and ${expected?.rows} rows with the sum ${expected?.hash} in the source. Nothing of it was kept. Export again from the beginning, after tenant reopen there and tenant forget here.`,
  );
}

const copyIn = (client: pg.Client, files: SealedFiles, file: string, into: string): Promise<void> =>
  pipeline(Readable.from(readSealed(files, file)), client.query(from(`COPY ${into} FROM STDIN`)));

/** Loads a table that has no rows of the tenant yet. */
async function loadTable(client: pg.Client, files: SealedFiles, part: string, table: MovedTable): Promise<void> {
  const { name, columns } = table;
  if (!needsStaging(name) && (await bypassesRowSecurity(client)))
    return copyIn(client, files, `${part}/${name}`, `"${name}" (${quoted(columns)})`);
  await stage(client, files, part, table);
  await client.query(
    `INSERT INTO "${name}" (${quoted(columns)}) SELECT ${arriving(name, columns)} FROM "arriving_${name}" AS s`,
  );
}

/** COPY into a table needs that, and an owner who is no superuser does not have it. */
async function bypassesRowSecurity(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ bypasses: boolean }>(
    'SELECT rolsuper OR rolbypassrls AS bypasses FROM pg_roles WHERE rolname = current_user',
  );
  return rows[0]?.bypasses === true;
}

const needsStaging = (name: string): boolean => mappedColumns[name] !== undefined || name === 'state_namespaces';

/** Copies a file into a temporary table. */
async function stage(
  client: pg.Client,
  files: SealedFiles,
  part: string,
  { name, columns }: MovedTable,
): Promise<void> {
  await client.query(
    `DROP TABLE IF EXISTS pg_temp."arriving_${name}"; CREATE TEMP TABLE "arriving_${name}" ON COMMIT DROP AS SELECT ${quoted(columns)} FROM "${name}" LIMIT 0`,
  );
  await copyIn(client, files, `${part}/${name}`, `pg_temp."arriving_${name}" (${quoted(columns)})`);
  await client.query(`ANALYZE pg_temp."arriving_${name}"`);
}

/** The columns of a staged row as they are inserted. Sums of the state store begin at 0, because a trigger adds the entries. */
function arriving(name: string, columns: readonly string[]): string {
  return columns
    .map((column) => {
      const kind = mappedColumns[name]?.[column];
      if (name === 'state_namespaces' && ['entries', 'bytes'].includes(column)) return '0';
      if (kind === undefined) return `s."${column}"`;
      return `coalesce((SELECT target FROM moved_ids WHERE kind = '${kind}' AND source = s."${column}"), s."${column}")`;
    })
    .join(', ');
}

/** Loads what is left, compares all sums, and opens the tenant. The caller commits. */
async function loadRest(
  client: pg.Client,
  { files, rings, insertJobs, recordMove }: ImportOptions,
  manifest: Manifest,
  tables: readonly MovedTable[],
  hasHistory: boolean,
): Promise<Record<string, TableSum>> {
  const tenantId = manifest.tenant.id;
  const sums: Record<string, TableSum> = {};
  await mapIds(client, manifest);
  // Delete the rows of people who opened the tenant here while it was arriving. They would conflict with the rows in the archive.
  await client.query('DELETE FROM tenant_users WHERE tenant_id = $1', [tenantId]);
  const early = new Set(hasHistory ? earlyTables(tables).map(({ name }) => name) : []);
  for (const table of copiedTables(tables)) {
    const entry = manifest.tables[table.name];
    if (!entry) throw new ArchiveError(`The archive has no rows of ${table.name}.`);
    try {
      if (early.has(table.name)) await loadChanges(client, files, table, tenantId);
      else await loadTable(client, files, 'rest', table);
    } catch (error) {
      throw asClash(error, table.name);
    }
    sums[table.name] = await compare(client, table, tenantId, entry, early.has(table.name) && table.isHistory);
  }
  await restoreStateSums(client, tables.find(({ name }) => name === 'state_namespaces')?.columns ?? []);
  for (const name of ['state_namespaces', 'state_entries']) {
    const table = tables.find((each) => each.name === name) as MovedTable;
    sums[name] = await sumTable(client, table, tenantId);
    assertSum(name, sums[name], manifest.tables[name]?.copied);
  }
  for (const { purpose, version, key } of manifest.dataKeys) {
    if (key === null) continue;
    const { kekId, wrapped } = wrapDataKey(rings, { purpose, tenantId, version }, Buffer.from(key, 'base64'));
    await client.query(
      'UPDATE data_keys SET kek_id = $4, wrapped = $5 WHERE tenant_id = $1 AND purpose = $2::key_purpose AND version = $3',
      [tenantId, purpose, version, kekId, wrapped],
    );
  }
  await client.query(
    'CREATE TEMP TABLE moved_events ON COMMIT DROP AS SELECT id, event_id, topic, data, metadata, created_at, true AS is_pending FROM outbox_events LIMIT 0',
  );
  await copyIn(client, files, 'rest/events', `pg_temp.moved_events (${eventColumns})`);
  await insertEvents(client, tenantId);
  await insertJobs(client, manifest.jobs);
  const { moveId, installation } = manifest;
  await recordStep(client, recordMove, 'import', manifest, { moveId, installation });
  await client.query('DELETE FROM tenant_moves WHERE tenant = $1', [tenantId]);
  return sums;
}

/** An id that is there already, as a sentence. */
function asClash(error: unknown, name: string): unknown {
  const { code, detail } = error as { code?: string; detail?: string };
  if (code !== '23505') return error;
  return new MoveError(
    `${name} has a row here with a key of the archive: ${detail ?? ''} Nothing of the rest was kept, and the tenant stays closed.`,
    { cause: error },
  );
}

/** Deletes what was deleted and what has changed since history was copied, and inserts the changed rows. */
async function loadChanges(client: pg.Client, files: SealedFiles, table: MovedTable, tenantId: string): Promise<void> {
  const { name, columns, key, isHistory } = table;
  await stage(client, files, 'rest', table);
  if (!isHistory) {
    const set = columns.filter((column) => !key.includes(column)).map((column) => `"${column}" = excluded."${column}"`);
    await client.query(
      `INSERT INTO "${name}" (${quoted(columns)}) SELECT ${arriving(name, columns)} FROM "arriving_${name}" AS s
       ON CONFLICT (${quoted(key)}) DO UPDATE SET ${set.join(', ')}`,
    );
    return;
  }
  const deleted = (await readSealedJson(files, `rest/${name}.deleted`)) as string[][];
  await client.query(
    `DELETE FROM "${name}" t USING jsonb_array_elements($2::jsonb) AS d(key) WHERE t.tenant_id = $1 AND ${key
      .map((column, place) => `t."${column}"::text = d.key ->> ${place}`)
      .join(' AND ')}`,
    [tenantId, JSON.stringify(deleted)],
  );
  await client.query(
    `DELETE FROM "${name}" t USING "arriving_${name}" s WHERE t.tenant_id = $1 AND (${quoted(key, 't.')}) = (${quoted(key, 's.')})`,
    [tenantId],
  );
  await client.query(`INSERT INTO "${name}" (${quoted(columns)}) SELECT ${quoted(columns)} FROM "arriving_${name}"`);
}

/** Compares what has arrived with the source: all rows of a table, or those of this transaction and how many there are in all. */
async function compare(
  client: pg.Client,
  table: MovedTable,
  tenantId: string,
  { copied, rows }: TableEntry,
  isPart: boolean,
): Promise<TableSum> {
  if (['state_namespaces', 'state_entries'].includes(table.name)) return copied;
  const sum = await sumTable(client, table, tenantId, isPart ? `xmin = pg_current_xact_id()::xid` : 'true');
  assertSum(table.name, sum, copied);
  if (!isPart) return sum;
  const all = await countTable(client, table.name, tenantId);
  if (all.rows !== rows)
    throw new ArchiveError(
      `${table.name} has ${all.rows} rows here, and ${rows} in the source. Nothing of the rest was kept. Export again from the beginning, after tenant reopen there and tenant forget here.`,
    );
  return { rows, hash: sum.hash };
}
