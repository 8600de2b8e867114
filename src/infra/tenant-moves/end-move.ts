import type pg from 'pg';
import type { MigrationSession } from '#src/infra/migrations/lock-waits.ts';
import { MoveError, type MoveOptions, openMove } from './export-tenant.ts';
import { inTransaction, removeFence } from './fence.ts';
import { type RecordMove, recordStep } from './move-audit.ts';
import type { InsertJobs } from './moved-jobs.ts';
import { copiedTables, readTenantTables } from './moved-tables.ts';
import { type MoveRow, readMove, readPlace } from './source.store.ts';
import { plainText, sumTable, type TableSum } from './sums.ts';

type EndOptions = Pick<MoveOptions, 'url' | 'tenantId' | 'say'>;

async function withMove<T>(
  options: EndOptions,
  work: (session: MigrationSession, move: MoveRow) => Promise<T>,
): Promise<T> {
  const session = await openMove(options);
  try {
    const move = await readMove(session.client, options.tenantId);
    if (!move) throw new MoveError(`${options.tenantId} does not move.`);
    return await work(session, move);
  } finally {
    await session.client.end();
  }
}

interface ReopenOptions extends EndOptions {
  /** The caller says that no other installation has the tenant, although its archive is whole. */
  discardArchive: boolean;
  insertJobs: InsertJobs;
  recordMove: RecordMove;
}

/** Ends a move in the source, where the tenant stays: its writes are accepted again. */
export const reopenTenant = (options: ReopenOptions): Promise<void> =>
  withMove(options, async (session, move) => {
    const { client } = session;
    const { tenantId, discardArchive, insertJobs, recordMove } = options;
    const place = await readPlace(client, tenantId);
    if (move.direction === 'in')
      throw new MoveError(`${tenantId} arrives here. Finish its import, or remove it by tenant forget ${tenantId}.`);
    if (move.exportedAt !== null && !discardArchive)
      throw new MoveError(
        `The archive of ${tenantId} is whole, so another installation may have opened the tenant, and two would take its orders. Make sure that none has it, then add --discard-archive.`,
      );
    await inTransaction(client, async () => {
      // Consumers have passed the events that they could not see; these follow the newest now.
      if (move.readTo)
        await client.query(
          'UPDATE outbox_events SET xid = outbox_place() WHERE tenant_id = $1 AND (xid, id) > ($2::bigint, $3::bigint)',
          [tenantId, move.readTo.xid, move.readTo.id],
        );
      await insertJobs(client, move.jobs);
      if (place) await recordStep(client, recordMove, 'reopen', place, { moveId: move.moveId });
      await endMove(client, tenantId);
    });
    await removeFence(session, await readTenantTables(client), tenantId);
  });

async function endMove(client: pg.Client, tenantId: string): Promise<void> {
  await client.query('DELETE FROM tenant_move_deletions WHERE tenant = $1', [tenantId]);
  await client.query('DELETE FROM tenant_moves WHERE tenant = $1', [tenantId]);
}

const batch = 20_000;

/**
 * Deletes the rows of a tenant that has moved away, or of one that has not arrived completely. Returns how many. May be repeated after an
 * interruption.
 */
export const forgetTenant = (options: EndOptions & { hasArrived: boolean }): Promise<number> =>
  withMove(options, async (session, move) => {
    const { client } = session;
    const { tenantId, say, hasArrived } = options;
    if (move.direction === 'out' && move.exportedAt === null)
      throw new MoveError(
        `The archive of ${tenantId} is not whole, so nothing is deleted. Write it by tenant export --close.`,
      );
    if (move.direction === 'out' && !hasArrived)
      throw new MoveError(
        `This deletes ${tenantId} here. Make sure that its import has ended and that the other installation has it open, then add --arrived.`,
      );
    const tables = await readTenantTables(client);
    let deleted = 0;
    for (const { name } of tables.toReversed()) {
      let count = 0;
      for (let some = batch; some === batch; count += some)
        some =
          (
            await client.query(
              `DELETE FROM "${name}" WHERE tenant_id = $1 AND (tableoid, ctid) IN (SELECT tableoid, ctid FROM "${name}" WHERE tenant_id = $1 LIMIT ${batch})`,
              [tenantId],
            )
          ).rowCount ?? 0;
      if (count > 0) say(`${name}: ${count} rows deleted`);
      deleted += count;
    }
    await inTransaction(client, async () => {
      await client.query('DELETE FROM tenants WHERE id = $1', [tenantId]);
      await endMove(client, tenantId);
    });
    await removeFence(session, tables, tenantId);
    return deleted;
  });

/** The sums of all tables of a tenant, to compare two installations. */
export async function sumTenant(options: EndOptions): Promise<Record<string, TableSum>> {
  const session = await openMove(options);
  const { client } = session;
  try {
    await client.query(plainText);
    const sums: Record<string, TableSum> = {};
    // One that arrives has rows before it is there itself.
    const move = await readMove(client, options.tenantId);
    if (!move && !(await readPlace(client, options.tenantId)))
      throw new MoveError(`There is no tenant ${options.tenantId} in this database.`);
    // A closed tenant is seen by the owner, and any other by one of the two roles.
    const isClosed = move?.state === 'closed';
    await inTransaction(
      client,
      async () => {
        if (!isClosed) await client.query(`SELECT set_config('causeway.tenant_id', $1, true)`, [options.tenantId]);
        for (const table of copiedTables(await readTenantTables(client))) {
          if (!isClosed) await client.query(`SET LOCAL ROLE ${await findReader(client, table.name)}`);
          sums[table.name] = await sumTable(client, table, options.tenantId);
          await client.query('RESET ROLE');
        }
      },
      'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
    );
    return sums;
  } finally {
    await client.end();
  }
}

async function findReader(client: pg.Client, table: string): Promise<string> {
  const { rows } = await client.query<{ role: string }>(
    `SELECT CASE WHEN has_table_privilege('causeway_app', $1, 'SELECT') THEN 'causeway_app' ELSE 'causeway_system' END AS role`,
    [`"${table}"`],
  );
  return rows[0]?.role as string;
}
