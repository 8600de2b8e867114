import type { Database, TenantTx } from '#src/infra/postgres/database.ts';
import type { Purpose } from './key-ring.ts';
import { joinDataKey, type Place, sealedColumns, type SealedRow, type Vault } from './vault.ts';

/** A column of ciphertexts in a table with a tenant_id. The names come from our code, never from a caller. */
export interface SealedColumn {
  purpose: Purpose;
  table: string;
  column: string;
  versionColumn: string;
  /** SQL over alias `t` for the row's key, as used in its place. */
  row: string;
}

export interface Rotated {
  tenantId: string;
  purpose: Purpose;
  /** The data key that seals everything from now on. */
  version: number;
  /** How many ciphertexts were resealed. */
  resealed: number;
}

interface Row extends SealedRow {
  ctid: string;
  row: string;
}

const batchSize = 200;
/** Maximum sweeps: rows that were written with the old key during one sweep are found by the next. */
const sweeps = 20;

/**
 * Gives a tenant a new data key, reseals everything of that purpose with it and destroys the older keys, while others read
 * and write: a reader fetches a ciphertext together with its key, and a writer locks its key until its ciphertext is stored.
 * After an interruption, run it again. A ciphertext that cannot be opened stops it before any key is destroyed.
 */
export async function rotateDataKeys(
  { database, vault }: { database: Database; vault: Vault },
  { tenantId, purpose, columns }: { tenantId: string; purpose: Purpose; columns: readonly SealedColumn[] },
): Promise<Rotated> {
  const own = columns.filter((column) => column.purpose === purpose);
  const version = await database.withTenant(tenantId, (tx) => vault.addDataKey(tx, purpose, tenantId));
  let resealed = 0;
  for (let sweep = 1; sweep <= sweeps; sweep += 1) {
    for (const column of own) {
      for (;;) {
        const count = await database.withTenant(tenantId, (tx) => resealBatch(tx, vault, tenantId, column, version));
        resealed += count;
        if (count < batchSize) break;
      }
    }
    if (await database.withTenant(tenantId, (tx) => retireBefore(tx, tenantId, purpose, own, version))) {
      return { tenantId, purpose, version, resealed };
    }
  }
  throw new Error(`Tenant ${tenantId} writes ${purpose} faster than they can be resealed; try again later.`);
}

async function resealBatch(
  tx: TenantTx,
  vault: Vault,
  tenantId: string,
  { purpose, table, column, versionColumn, row }: SealedColumn,
  version: number,
): Promise<number> {
  // In a fixed order, so that two rotations cannot deadlock.
  const locked = await tx.$queryRawUnsafe<Pick<Row, 'ctid'>[]>(
    `SELECT t.ctid::text AS ctid FROM ${table} t WHERE t.tenant_id = $1 AND t.${versionColumn} < $2
     ORDER BY ${row} LIMIT ${batchSize} FOR NO KEY UPDATE`,
    tenantId,
    version,
  );
  if (locked.length === 0) return 0;
  // A separate statement: after waiting for a row lock, only a new statement sees the row's current key.
  const rows = await tx.$queryRawUnsafe<Row[]>(
    `SELECT t.ctid::text AS ctid, ${row} AS row, ${sealedColumns('t', column, versionColumn)}
     FROM unnest($2::text[]) AS locked(ctid) JOIN ${table} t ON t.ctid = locked.ctid::tid AND t.tenant_id = $1
     ${joinDataKey(purpose, 't', versionColumn)}`,
    tenantId,
    locked.map(({ ctid }) => ctid),
  );
  const seal = await vault.sealer(tx, purpose, tenantId);
  const sealed = rows.map((each) => {
    const place: Place = { tenantId, table, row: each.row, column };
    return seal(place, vault.open(purpose, place, each));
  });
  // The rows are locked until the transaction ends, so their ctid cannot change.
  await tx.$executeRawUnsafe(
    `UPDATE ${table} t SET "${column}" = new.bytes, ${versionColumn} = new.version
     FROM unnest($1::text[], $2::bytea[], $3::int[]) AS new(ctid, bytes, version) WHERE t.ctid = new.ctid::tid AND t.tenant_id = $4`,
    rows.map(({ ctid }) => ctid),
    sealed.map(({ bytes }) => bytes),
    sealed.map(({ keyVersion }) => keyVersion),
    tenantId,
  );
  return rows.length;
}

/** Destroys the older keys once no ciphertext needs them and no writer holds one. */
async function retireBefore(
  tx: TenantTx,
  tenantId: string,
  purpose: Purpose,
  columns: readonly SealedColumn[],
  version: number,
): Promise<boolean> {
  await tx.$queryRaw`
    SELECT 1 FROM data_keys WHERE tenant_id = ${tenantId} AND purpose = ${purpose} AND version < ${version}
      AND retired_at IS NULL ORDER BY version FOR UPDATE`;
  for (const { table, versionColumn } of columns) {
    const left = await tx.$queryRawUnsafe<object[]>(
      `SELECT 1 FROM ${table} t WHERE t.tenant_id = $1 AND t.${versionColumn} < $2 LIMIT 1`,
      tenantId,
      version,
    );
    if (left.length > 0) return false;
  }
  await tx.$executeRaw`
    UPDATE data_keys SET retired_at = now(), wrapped = NULL
    WHERE tenant_id = ${tenantId} AND purpose = ${purpose} AND version < ${version} AND retired_at IS NULL`;
  return true;
}
