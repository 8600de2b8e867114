import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from } from 'pg-copy-streams';
import { type Scope, scopeTo } from '#src/infra/postgres/statements/scoped-query.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { CopiedRows } from './copied-rows.ts';

/** Sends rows in COPY's text format by `statement` (`COPY ... FROM STDIN`), in a transaction of `withTenant`. */
export async function copyIn(tx: Tx, statement: string, rows: Buffer): Promise<void> {
  await pipeline(Readable.from([rows]), tx.query(from(statement)));
}

/** Minutes that one statement may take, and therefore hold its snapshot. */
const limitMinutes = 60;

/**
 * Streams the output of `statement` (`COPY (...) TO STDOUT`): the rows of one tenant, from one snapshot. Closes the connection if the
 * caller stops before the end.
 */
export async function* copyOut(
  pool: pg.Pool,
  tenantId: string,
  statement: string,
  scope: Scope = scopeTo(tenantId),
): AsyncGenerator<Buffer> {
  const client = await pool.connect();
  let isWhole = false;
  try {
    await client.query('BEGIN READ ONLY');
    await client.query(scope);
    // With the memory that other statements have, a sort of a million rows would spill to disk.
    await client.query(`SET LOCAL statement_timeout = '${limitMinutes}min'; SET LOCAL work_mem = '64MB'`);
    yield* client.query(new CopiedRows(statement)) as AsyncIterable<Buffer>;
    await client.query('COMMIT');
    isWhole = true;
  } finally {
    client.release(!isWhole);
  }
}

/** A value within the text of a COPY, which takes no parameters. */
export const literal = (value: string): string => pg.escapeLiteral(value);
