import { chunkRowsSql, chunkValues, type ImportChunk } from '#src/imports/targets/target.ts';
import { instantSql } from '#src/infra/postgres/statements/instants.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { insertEventsSql } from '#src/journal/outbox/outbox.ts';
import { organizationCreated, organizationUpdated } from './organizations.declarations.ts';

const rows = chunkRowsSql({ customer_number: 'c1', name: 'c2', payment_terms: 'c3' });

/** Addresses in the format of events: `addressAsData` in SQL. */
const addresses = `(SELECT coalesce(jsonb_agg(a - 'postalCode' || jsonb_build_object('postal_code', a -> 'postalCode') ORDER BY at), '[]')
  FROM jsonb_array_elements(addresses) WITH ORDINALITY AS each(a, at))`;

/**
 * The rows that differ from the existing organizations, joined row by row (docs/decisions/system-role-plans-by-key.md). $5: required
 * attributes.
 */
const differing = `(
  SELECT r.n, r.customer_number, r.name, coalesce(r.payment_terms, o.payment_terms) AS payment_terms,
    coalesce(o.attributes, '{}') ?& $5::text[] AS is_complete
  FROM ${rows} AS r LEFT JOIN LATERAL (
    SELECT name, payment_terms, attributes FROM organizations
    WHERE tenant_id = $1 AND customer_number = r.customer_number OFFSET 0
  ) AS o ON true
  WHERE (o.name, o.payment_terms) IS DISTINCT FROM (r.name, coalesce(r.payment_terms, o.payment_terms))) AS d`;

/** The numbers of the rows whose organization would lack a value of a required attribute. */
export async function findIncompleteOrganizations(tx: Tx, chunk: ImportChunk, required: string[]): Promise<number[]> {
  const found = await tx.query<{ n: number }>({
    name: 'find-incomplete-organizations',
    text: `SELECT n FROM ${differing} WHERE NOT is_complete`,
    values: [...chunkValues(chunk), required],
  });
  return found.rows.map(({ n }) => n);
}

/** Creates and updates the organizations that differ from the rows, except incomplete ones; returns how many. */
export async function writeOrganizations(tx: Tx, chunk: ImportChunk, required: string[]): Promise<number> {
  const found = await tx.query<{ written: number }>({
    name: 'write-imported-organizations',
    text: `WITH given AS MATERIALIZED (SELECT * FROM ${differing} WHERE is_complete), written AS (
        INSERT INTO organizations AS o (tenant_id, customer_number, name, payment_terms)
        SELECT $1, customer_number, name, payment_terms FROM given
        ON CONFLICT (tenant_id, customer_number) DO UPDATE
          SET name = excluded.name, payment_terms = excluded.payment_terms, updated_at = CURRENT_TIMESTAMP
        RETURNING *, xmax = 0 AS is_new
      ), published AS (${insertEventsSql(`(
        SELECT $1 AS tenant_id, CASE WHEN is_new THEN '${organizationCreated.name}' ELSE '${organizationUpdated.name}' END AS topic,
          jsonb_build_object('id', id, 'customer_number', customer_number, 'name', name, 'addresses', ${addresses},
            'payment_terms', payment_terms, 'attributes', attributes, 'created_at', ${instantSql('created_at')},
            'updated_at', ${instantSql('updated_at')}) AS data, '{}'::jsonb AS metadata FROM written) AS event`)}
      )
      SELECT count(*) AS written FROM written`,
    values: [...chunkValues(chunk), required],
  });
  return found.rows[0]?.written ?? 0;
}
