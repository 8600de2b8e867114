import { createHash } from 'node:crypto';
import pg from 'pg';
import { type MigrationSession, withLockTimeout } from '#src/infra/migrations/lock-waits.ts';
import { pause } from '#src/infra/timing/timers.ts';
import type { MovedTable } from './moved-tables.ts';

/** Each table is locked alone and for milliseconds, so nobody waits longer than this for a lock that is not granted. */
export const fenceLimits = { lockMs: 500, attempts: 30, pauseMs: 100, maxPauseMs: 2_000, concurrentMs: 60_000 };

/** Where people sign in: the time of a token is recorded at each. It is moved as it stands, and may still be written. */
const unguarded: ReadonlySet<string> = new Set(['tenant_users']);

/** Where requests find their tenant: hidden, they would be answered as those of nobody instead of being refused for a while. */
const doors: ReadonlySet<string> = new Set(['api_keys', 'inbound_endpoints', 'triggers', 'workflows']);

const nameFor = (tenantId: string): string =>
  `moving_${createHash('sha256').update(tenantId).digest('hex').slice(0, 12)}`;

/**
 * Puts triggers and policies on every table of tenants that concern this tenant alone. They change nothing until the tenant is closed,
 * except that deletions from copied history are noted. Other tenants' rows pass a comparison in each trigger.
 */
export async function installFence(
  session: MigrationSession,
  tables: readonly MovedTable[],
  tenantId: string,
): Promise<void> {
  const { rows } = await session.client.query<{ name: string }>(
    'SELECT tablename AS name FROM pg_policies WHERE policyname = $1',
    [moverPolicy(tenantId)],
  );
  // An earlier command has guarded these, and a lock on them would have to be waited for.
  const guarded = new Set(rows.map(({ name }) => name));
  for (const table of tables.filter(({ name }) => !guarded.has(name)))
    await withLockTimeout(session, `Guarding the rows of ${tenantId} in ${table.name}`, () =>
      inTransaction(session.client, async () => {
        await session.client.query(fenceSql(table, tenantId));
      }),
    );
}

export async function removeFence(
  session: MigrationSession,
  tables: readonly MovedTable[],
  tenantId: string,
): Promise<void> {
  for (const { name } of tables)
    await withLockTimeout(session, `Taking the guard of ${tenantId} off ${name}`, () =>
      inTransaction(session.client, () => session.client.query(removalSql(name, tenantId))),
    );
}

const moverPolicy = (tenantId: string): string => `${nameFor(tenantId)}_mover`;

const literal = pg.escapeLiteral;

function fenceSql({ name, key, isHistory }: MovedTable, tenantId: string): string {
  const fence = nameFor(tenantId);
  const tenant = literal(tenantId);
  const isMover = `current_setting('causeway.moving_tenant', true) IS NOT DISTINCT FROM ${tenant}`;
  // An owner who is a member of the system role is subject to its policies as well.
  const noted = isHistory ? [name, ...key].map((text) => literal(text)).join(', ') : '';
  const triggers = `
    CREATE TRIGGER ${fence} BEFORE INSERT OR UPDATE ON "${name}" FOR EACH ROW
      WHEN (NEW.tenant_id = ${tenant} AND NOT (${isMover})) EXECUTE FUNCTION guard_moving_tenant();
    CREATE TRIGGER ${fence}_deleted BEFORE DELETE ON "${name}" FOR EACH ROW
      WHEN (OLD.tenant_id = ${tenant} AND NOT (${isMover})) EXECUTE FUNCTION guard_moving_tenant(${noted});`;
  return `${unguarded.has(name) ? '' : triggers}
    ${doors.has(name) ? '' : `CREATE POLICY ${fence} ON "${name}" AS RESTRICTIVE TO causeway_system USING (tenant_id <> ${tenant} OR is_tenant_open(${tenant}) OR ${isMover});`}
    CREATE POLICY ${moverPolicy(tenantId)} ON "${name}" TO CURRENT_USER USING (tenant_id = ${tenant} AND ${isMover});`;
}

function removalSql(name: string, tenantId: string): string {
  const fence = nameFor(tenantId);
  return `DROP TRIGGER IF EXISTS ${fence} ON "${name}"; DROP TRIGGER IF EXISTS ${fence}_deleted ON "${name}";
    DROP POLICY IF EXISTS ${fence} ON "${name}"; DROP POLICY IF EXISTS ${moverPolicy(tenantId)} ON "${name}"`;
}

/** Runs `work` in one transaction. */
export async function inTransaction<T>(client: pg.Client, work: () => Promise<T>, begin = 'BEGIN'): Promise<T> {
  await client.query(begin);
  try {
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/**
 * Runs `work` in a transaction with the tenant's own permissions. The owner of the tables cannot do it directly, because row-level security
 * is forced on it too.
 */
export async function actAsTenant(client: pg.Client, tenantId: string, work: () => Promise<void>): Promise<void> {
  await client.query(`SELECT set_config('causeway.tenant_id', $1, true)`, [tenantId]);
  await client.query('SET LOCAL ROLE causeway_app');
  await work();
  await client.query('RESET ROLE');
}

const barrierMs = 60_000;

/** Waits until every transaction has ended that had written when it was called. */
export async function awaitOlderTransactions(client: pg.Client): Promise<void> {
  // A number of its own is above those of all that have written. The bound of a snapshot is not: it follows the last that has ended.
  const { rows } = await client.query<{ next: string }>('SELECT pg_current_xact_id()::text AS next');
  const until = performance.now() + barrierMs;
  for (;;) {
    const { rows: asked } = await client.query<{ done: boolean }>(
      'SELECT pg_snapshot_xmin(pg_current_snapshot()) >= $1::xid8 AS done',
      [rows[0]?.next],
    );
    if (asked[0]?.done === true) return;
    if (performance.now() > until)
      throw new Error(
        `A transaction has been writing for more than ${barrierMs / 1_000} s. End it (pg_stat_activity shows it by backend_xid), then start again.`,
      );
    await pause(20);
  }
}

/** Lets the session write rows of the tenant although it is closed. */
export async function actAsMover(client: pg.Client, tenantId: string): Promise<void> {
  await client.query(`SELECT set_config('causeway.moving_tenant', $1, false)`, [tenantId]);
}
