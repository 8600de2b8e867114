import type pg from 'pg';
import { isSummed, type MovedTable, quoted } from './moved-tables.ts';

/** How many rows of a tenant a table has, and the sum of their hashes, which does not depend on their order. */
export interface TableSum {
  rows: number;
  /** 16 hex digits. */
  hash: string;
}

/** Text of values is the same in every database with these. */
export const plainText = `SET timezone = 'UTC'; SET datestyle = 'ISO'; SET intervalstyle = 'postgres'; SET extra_float_digits = 1;
  SET bytea_output = 'hex'; SET statement_timeout = 0`;

/** Sums up the rows of the tenant, or those of them that fulfil a condition. */
export async function sumTable(
  client: pg.Client,
  { name, columns }: Pick<MovedTable, 'name' | 'columns'>,
  tenantId: string,
  condition = 'true',
): Promise<TableSum> {
  const summed = quoted(columns.filter((column) => isSummed(name, column)));
  const { rows } = await client.query<{ rows: string; hash: string }>(
    `SELECT count(*)::text AS rows, coalesce(sum(hashtextextended(ROW(${summed})::text, 0)::numeric), 0)::text AS hash
     FROM "${name}" WHERE tenant_id = $1 AND ${condition}`,
    [tenantId],
  );
  return toSum(rows[0] as (typeof rows)[number]);
}

const toSum = ({ rows, hash }: { rows: string; hash: string }): TableSum => ({
  rows: Number(rows),
  hash: BigInt.asUintN(64, BigInt(hash)).toString(16).padStart(16, '0'),
});

export const isSameSum = (one: TableSum | undefined, other: TableSum | undefined): boolean =>
  one?.rows === other?.rows && one?.hash === other?.hash;
