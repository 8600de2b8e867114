import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from } from 'pg-copy-streams';
import type { Tx } from './tx.ts';

/** Sends rows in COPY's text format by `statement` (`COPY ... FROM STDIN`), in a transaction of `withTenant`. */
export async function copyIn(tx: Tx, statement: string, rows: Buffer): Promise<void> {
  await pipeline(Readable.from([rows]), tx.query(from(statement)));
}
