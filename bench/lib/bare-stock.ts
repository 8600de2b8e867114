import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from } from 'pg-copy-streams';

/** A stock import written by hand for Postgres: tables of balances and of ledger rows, and statements over all rows. */
export interface BareStock {
  copy(csv: Readable): Promise<void>;
  /** Writes the differing rows, with a ledger row each. */
  merge(job: number): Promise<void>;
  compare(): Promise<void>;
}

export async function createBareStock(client: pg.Client): Promise<BareStock> {
  await client.query(`CREATE TABLE bare_balances (sku text, location text, on_hand numeric NOT NULL, PRIMARY KEY (sku, location));
    CREATE TABLE bare_movements (id bigserial PRIMARY KEY, reference text UNIQUE, sku text, location text, kind text,
      quantity numeric, delta numeric, created_at timestamptz DEFAULT now());
    CREATE UNLOGGED TABLE bare_rows (sku text, location text, quantity numeric)`);
  return {
    async copy(csv) {
      await client.query('TRUNCATE bare_rows');
      await pipeline(csv, client.query(from('COPY bare_rows FROM STDIN WITH (FORMAT csv, HEADER)')));
    },
    async merge(job) {
      await client.query(`WITH changed AS MATERIALIZED (
          SELECT r.*, coalesce(b.on_hand, 0) AS before FROM bare_rows r LEFT JOIN bare_balances b USING (sku, location)
          WHERE b.on_hand IS DISTINCT FROM r.quantity
        ), balanced AS (
          INSERT INTO bare_balances SELECT sku, location, quantity FROM changed
          ON CONFLICT (sku, location) DO UPDATE SET on_hand = excluded.on_hand
        )
        INSERT INTO bare_movements (reference, sku, location, kind, quantity, delta)
        SELECT 'import:${job}:' || sku, sku, location, 'count', quantity, quantity - before FROM changed`);
    },
    async compare() {
      await client.query(
        `SELECT count(*) FROM bare_rows r JOIN bare_balances b USING (sku, location) WHERE b.on_hand <> r.quantity`,
      );
    },
  };
}
