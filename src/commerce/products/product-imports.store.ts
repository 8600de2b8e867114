import { chunkRowsSql, chunkValues, type ImportChunk } from '#src/imports/targets/target.ts';
import { instantSql } from '#src/infra/postgres/statements/instants.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { insertEventsSql } from '#src/journal/outbox/outbox.ts';
import { productCreated, productUpdated } from './products.declarations.ts';

const rows = chunkRowsSql({
  sku: 'c1',
  name: 'c2',
  description: 'c3',
  active: 'c4::boolean',
});

/**
 * The rows that differ from the existing products, joined row by row (docs/decisions/system-role-plans-by-key.md). $5: required attributes.
 */
const differing = `(
  SELECT r.n, r.sku, r.name, coalesce(r.description, p.description) AS description,
    coalesce(r.active, p.active, true) AS active, coalesce(p.attributes, '{}') ?& $5::text[] AS is_complete
  FROM ${rows} AS r LEFT JOIN LATERAL (
    SELECT name, description, active, attributes FROM products WHERE tenant_id = $1 AND sku = r.sku OFFSET 0
  ) AS p ON true
  WHERE (p.name, p.description, p.active) IS DISTINCT FROM
    (r.name, coalesce(r.description, p.description), coalesce(r.active, p.active, true))) AS d`;

/** The numbers of the rows whose product would lack a value of a required attribute. */
export async function findIncompleteProducts(tx: Tx, chunk: ImportChunk, required: string[]): Promise<number[]> {
  const found = await tx.query<{ n: number }>({
    name: 'find-incomplete-products',
    text: `SELECT n FROM ${differing} WHERE NOT is_complete`,
    values: [...chunkValues(chunk), required],
  });
  return found.rows.map(({ n }) => n);
}

/** Creates and updates the products that differ from the rows, except incomplete ones; returns how many. */
export async function writeProducts(tx: Tx, chunk: ImportChunk, required: string[]): Promise<number> {
  const found = await tx.query<{ written: number }>({
    name: 'write-imported-products',
    text: `WITH given AS MATERIALIZED (SELECT * FROM ${differing} WHERE is_complete), written AS (
        INSERT INTO products AS p (tenant_id, sku, name, description, active)
        SELECT $1, sku, name, description, active FROM given
        ON CONFLICT (tenant_id, sku) DO UPDATE SET name = excluded.name, description = excluded.description,
          active = excluded.active, updated_at = CURRENT_TIMESTAMP
        RETURNING *, xmax = 0 AS is_new
      ), published AS (${insertEventsSql(`(
        SELECT $1 AS tenant_id, CASE WHEN is_new THEN '${productCreated.name}' ELSE '${productUpdated.name}' END AS topic,
          jsonb_build_object('id', id, 'sku', sku, 'name', name, 'description', description, 'active', active,
            'tax_rate', trim_scale(tax_rate)::text, 'attributes', attributes, 'created_at', ${instantSql('created_at')},
            'updated_at', ${instantSql('updated_at')}) AS data, '{}'::jsonb AS metadata FROM written) AS event`)}
      )
      SELECT count(*) AS written FROM written`,
    values: [...chunkValues(chunk), required],
  });
  return found.rows[0]?.written ?? 0;
}
