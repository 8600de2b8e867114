import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { connectToMigrate } from '#src/infra/migrations/is-migrated.ts';
import type { MigrationSession } from '#src/infra/migrations/lock-waits.ts';
import { CopiedRows } from '#src/infra/postgres/copy/copied-rows.ts';
import type { Storage } from '#src/infra/storage/storage.ts';
import { pause } from '#src/infra/timing/timers.ts';
import type { KeyRings } from '#src/infra/vault/key-ring.ts';
import { unwrapDataKey } from '#src/infra/vault/wrapped-keys.ts';
import { actAsMover, awaitOlderTransactions, fenceLimits, installFence, inTransaction } from './fence.ts';
import { type Manifest, readManifest, type TableEntry } from './manifest.ts';
import { type RecordMove, recordStep } from './move-audit.ts';
import { copiedTables, earlyTables, type MovedTable, quoted, readTenantTables } from './moved-tables.ts';
import {
  hasSealed,
  holdsSealed,
  readSealedJson,
  type SealedFiles,
  writeSealed,
  writeSealedJson,
} from './sealed-files.ts';
import {
  closeAtCursor,
  type MoveRow,
  readDataKeys,
  readMove,
  readNames,
  readObjects,
  readOwnExtensions,
  readPlace,
  readUsers,
  releaseRuns,
  takeJobs,
} from './source.store.ts';
import { plainText, sumTable } from './sums.ts';

/** A move that cannot begin or go on; the message says why, and what to do. */
export class MoveError extends Error {
  override readonly name = 'MoveError';
}

export interface MoveOptions {
  /** The database, as its owner. */
  url: string;
  tenantId: string;
  files: SealedFiles;
  storage: Storage;
  rings: KeyRings;
  say: (sentence: string) => void;
}

interface ExportOptions extends MoveOptions {
  /** Closes the tenant and copies the rest; without it, history is copied while the tenant is open. */
  close: boolean;
  /** Where the tenant goes, for the message that its callers get. */
  movesTo?: string | undefined;
  recordMove: RecordMove;
  /** Queues whose jobs workers make again by themselves. */
  recoveredQueues: readonly string[];
}

/** Connects as the owner, and keeps out other commands that move the tenant. */
export async function openMove({
  url,
  tenantId,
  say,
}: Pick<MoveOptions, 'url' | 'tenantId' | 'say'>): Promise<MigrationSession> {
  const client = await connectToMigrate(url);
  try {
    await client.query(plainText);
    const { rows } = await client.query<{ mine: boolean }>(
      `SELECT pg_try_advisory_lock(hashtextextended('causeway.move/' || $1, 0)) AS mine`,
      [tenantId],
    );
    if (rows[0]?.mine !== true) throw new MoveError(`Another command moves ${tenantId} now. Wait until it has ended.`);
    await actAsMover(client, tenantId);
    return { client, url, limits: fenceLimits, say };
  } catch (error) {
    await client.end();
    throw error;
  }
}

/**
 * Writes a part of the archive of a tenant, and returns its manifest. May be repeated after an interruption, with the same folder and key.
 */
export async function exportTenant(options: ExportOptions): Promise<Manifest> {
  const { tenantId, files, say, close } = options;
  const session = await openMove(options);
  const { client } = session;
  try {
    const place = await readPlace(client, tenantId);
    if (!place) throw new MoveError(`There is no tenant ${tenantId} in this database.`);
    const move = await beginMove(client, options, place);
    const tables = await readTenantTables(client);
    say('Guarding the tables.');
    await installFence(session, tables, tenantId);
    // An earlier command has waited before it copied the history.
    if (!(await hasSealed(files, 'history/manifest'))) await awaitOlderTransactions(client);
    const head = { ...place, moveId: move.moveId };
    if (!close) return await exportHistory(client, options, head, tables);
    if (move.state !== 'closed') await closeTenant(client, options, head);
    else say('The tenant is closed already; the rest is written again.');
    const { manifest } = await exportPart(client, options, { ...head, part: 'rest' }, tables);
    await client.query('UPDATE tenant_moves SET exported_at = clock_timestamp() WHERE tenant = $1', [tenantId]);
    await writeSealedJson(files, 'rest/manifest', manifest);
    return manifest;
  } finally {
    await client.end();
  }
}

/** Copies history once: a second copy would be newer than the one that the target may have loaded. */
async function exportHistory(
  client: pg.Client,
  options: ExportOptions,
  head: Omit<PartHead, 'part'>,
  tables: readonly MovedTable[],
): Promise<Manifest> {
  const { tenantId, files, say } = options;
  if (await hasSealed(files, 'history/manifest')) {
    say('The history has been written already.');
    return readManifest(files, 'history');
  }
  const { manifest, oldest } = await exportPart(client, options, { ...head, part: 'history' }, tables);
  await client.query('UPDATE tenant_moves SET copied_from = $2 WHERE tenant = $1', [tenantId, oldest]);
  await writeSealedJson(files, 'history/manifest', manifest);
  return manifest;
}

async function beginMove(
  client: pg.Client,
  { tenantId, files, close, recordMove }: ExportOptions,
  place: Pick<Manifest, 'org' | 'tenant'>,
): Promise<MoveRow> {
  const own = await readOwnExtensions(client, tenantId);
  if (own.length > 0)
    throw new MoveError(
      `${tenantId} has registered the extensions ${own.join(', ')}, which other tenants may use, so it cannot move.`,
    );
  const move = await readMove(client, tenantId);
  if (move?.direction === 'in')
    throw new MoveError(
      `${tenantId} arrives from another installation. Finish its import, or remove it by tenant forget ${tenantId}.`,
    );
  const assertEmpty = async () => {
    if (await holdsSealed(files))
      throw new MoveError(`${files.folder} holds files of another archive. Name an empty folder.`);
  };
  if (!move) {
    await assertEmpty();
    const moveId = randomUUID();
    await inTransaction(client, async () => {
      await client.query(`INSERT INTO tenant_moves (tenant, move_id, direction) VALUES ($1, $2, 'out')`, [
        tenantId,
        moveId,
      ]);
      await recordStep(client, recordMove, 'export', place, { moveId });
    });
    await writeSealedJson(files, 'move', { moveId });
    return (await readMove(client, tenantId)) as MoveRow;
  }
  const inFolder = await readMoveId(files);
  // A first command that died at once has left no file.
  if (inFolder === undefined && move.copiedFrom === null && move.state === 'copying') {
    await assertEmpty();
    await writeSealedJson(files, 'move', { moveId: move.moveId });
    return move;
  }
  if (inFolder !== move.moveId)
    throw new MoveError(
      `${tenantId} is being moved already, with another folder than ${files.folder}. Name that folder, or end that move by tenant reopen ${tenantId}.`,
    );
  if (!close && move.state === 'closed')
    throw new MoveError(
      `${tenantId} is closed. Write the rest with --close, or open it again by tenant reopen ${tenantId}.`,
    );
  return move;
}

async function readMoveId(files: SealedFiles): Promise<string | undefined> {
  if (!(await hasSealed(files, 'move'))) return undefined;
  return ((await readSealedJson(files, 'move')) as { moveId: string }).moveId;
}

const evenMs = 10_000;

/** Closes the tenant: its writes are refused from here on, and workers leave it alone. */
async function closeTenant(
  client: pg.Client,
  { tenantId, movesTo, recoveredQueues, recordMove, say }: ExportOptions,
  place: Pick<Manifest, 'org' | 'tenant' | 'moveId'>,
): Promise<void> {
  const until = performance.now() + evenMs;
  const close = (anyway: boolean) =>
    inTransaction(client, async () => {
      const isClosed = await closeAtCursor(client, tenantId, { movesTo, anyway });
      const { moveId } = place;
      if (isClosed) await recordStep(client, recordMove, 'close', place, { moveId, ...(movesTo && { movesTo }) });
      return isClosed;
    });
  while (!(await close(performance.now() > until))) await pause(20);
  await awaitOlderTransactions(client);
  const released = await inTransaction(client, async () => {
    await takeJobs(client, tenantId, recoveredQueues);
    return releaseRuns(client, tenantId);
  });
  say(`Closed: writes of ${tenantId} are refused. Runs under way that will go on in the target: ${released}.`);
}

type PartHead = Pick<Manifest, 'installation' | 'migrations' | 'org' | 'tenant' | 'moveId' | 'part'>;

/** Copies tables from one snapshot, and writes their sums with the manifest. */
async function exportPart(
  client: pg.Client,
  options: ExportOptions,
  head: PartHead,
  tables: readonly MovedTable[],
): Promise<{ manifest: Manifest; oldest: string }> {
  const { tenantId, files, rings, storage, say } = options;
  const { part } = head;
  const copiedFrom =
    part === 'rest' && (await hasSealed(files, 'history/manifest'))
      ? (await readMove(client, tenantId))?.copiedFrom
      : null;
  const exported = await inTransaction(
    client,
    async () => {
      const { rows } = await client.query<{ oldest: string }>(
        'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS oldest',
      );
      const entries: Record<string, TableEntry> = {};
      const wanted = part === 'history' ? earlyTables(tables) : copiedTables(tables);
      for (const table of wanted) {
        const changed =
          table.isHistory && copiedFrom != null ? `age(xmin) <= age('${asXid(copiedFrom)}'::xid)` : 'true';
        entries[table.name] = await exportTable(client, { files, tenantId, part }, table, changed);
        say(`${table.name}: ${entries[table.name]?.copied.rows} rows`);
      }
      if (part === 'rest') await exportEvents(client, { files, tenantId });
      const jobs = part === 'rest' ? ((await readMove(client, tenantId))?.jobs ?? []) : [];
      const dataKeys = (await readDataKeys(client, tenantId)).map(({ purpose, version, kekId, wrapped }) => ({
        purpose,
        version,
        key:
          wrapped === null
            ? null
            : Buffer.from(unwrapDataKey(rings, { purpose, tenantId, version, kekId, wrapped })).toString('base64'),
      }));
      const manifest: Manifest = {
        ...head,
        tables: entries,
        users: await readUsers(client, tenantId),
        ...(await readNames(client, tenantId)),
        dataKeys,
        objects: await readObjects(client, tenantId),
        jobs,
      };
      return { manifest, oldest: rows[0]?.oldest ?? '' };
    },
    'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  );
  for (const key of exported.manifest.objects) {
    const name = `objects/${key.replaceAll('/', '-')}`;
    if (!(await hasSealed(files, name))) await writeSealed(files, name, await storage.stream(key));
  }
  return exported;
}

/** The 32 bits of a transaction id by which rows name it. */
const asXid = (id: string): string => String(BigInt.asUintN(32, BigInt(id)));

type PartPlace = Pick<MoveOptions, 'files' | 'tenantId'>;

async function exportTable(
  client: pg.Client,
  { files, tenantId, part }: PartPlace & { part: string },
  table: MovedTable,
  condition: string,
): Promise<TableEntry> {
  const { name, columns, partitionColumn } = table;
  const where = `WHERE tenant_id = ${client.escapeLiteral(tenantId)} AND ${condition}`;
  const copy = new CopiedRows(`COPY (SELECT ${quoted(columns)} FROM "${name}" ${where}) TO STDOUT`);
  await writeSealed(files, `${part}/${name}`, client.query(copy) as AsyncIterable<Buffer>);
  if (table.isHistory && part === 'rest') await exportDeletions(client, { files, tenantId }, name);
  const copied = await sumTable(client, table, tenantId, condition);
  const total = condition === 'true' ? copied : await countTable(client, name, tenantId);
  const partitions =
    partitionColumn === null
      ? []
      : (
          await client.query<{ part: string }>(
            `SELECT DISTINCT "${partitionColumn}" / ${partitionSpan} AS part FROM "${name}" ${where} ORDER BY 1`,
          )
        ).rows.map((row) => Number(row.part));
  return { copied, rows: total.rows, partitions };
}

/** Ids in a partition, as ensure_partitions makes them. */
const partitionSpan = 5_000_000;

export async function countTable(client: pg.Client, name: string, tenantId: string): Promise<{ rows: number }> {
  const { rows } = await client.query<{ rows: string }>(
    `SELECT count(*)::text AS rows FROM "${name}" WHERE tenant_id = $1`,
    [tenantId],
  );
  return { rows: Number(rows[0]?.rows) };
}

async function exportDeletions(client: pg.Client, { files, tenantId }: PartPlace, name: string): Promise<void> {
  const { rows } = await client.query<{ key: string[] }>(
    'SELECT key FROM tenant_move_deletions WHERE tenant = $1 AND name = $2 ORDER BY id',
    [tenantId, name],
  );
  await writeSealedJson(
    files,
    `rest/${name}.deleted`,
    rows.map(({ key }) => key),
  );
}

/** The columns of an event, with whether a consumer has yet to read it; others were put aside for a person. */
export const eventColumns = 'id, event_id, topic, data, metadata, created_at, is_pending';

async function exportEvents(client: pg.Client, { files, tenantId }: PartPlace): Promise<void> {
  const tenant = client.escapeLiteral(tenantId);
  const copy = new CopiedRows(
    `COPY (SELECT ${eventColumns} FROM (
       SELECT e.*, (e.xid, e.id) > ((m.read_to ->> 'xid')::bigint, (m.read_to ->> 'id')::bigint) AS is_pending
       FROM outbox_events e JOIN tenant_moves m ON m.tenant = e.tenant_id WHERE e.tenant_id = ${tenant}
     ) AS e WHERE is_pending OR EXISTS (SELECT FROM outbox_failures f WHERE f.tenant_id = ${tenant} AND f.id = e.id) ORDER BY xid, id) TO STDOUT`,
  );
  await writeSealed(files, 'rest/events', client.query(copy) as AsyncIterable<Buffer>);
}
