import { chunkRowsSql, chunkValues, type ImportChunk } from '#src/imports/targets/target.ts';
import { instantSql } from '#src/infra/postgres/statements/instants.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { insertEventsSql } from '#src/journal/outbox/outbox.ts';
import { contactCreated, contactUpdated } from './contacts.declarations.ts';

const rows = chunkRowsSql({
  customer_number: 'c1',
  email: 'c2',
  first_name: 'c3',
  last_name: 'c4',
  role: 'c5',
});

// Read row by row: docs/decisions/system-role-plans-by-key.md.
const organization =
  'LATERAL (SELECT id FROM organizations WHERE tenant_id = $1 AND customer_number = r.customer_number OFFSET 0) AS o';

/**
 * The numbers of the rows whose customer number belongs to no organization. Locks the organizations of the others until the transaction
 * ends.
 */
export async function findContactsOfNobody(tx: Tx, chunk: ImportChunk): Promise<number[]> {
  await tx.query({
    name: 'hold-organizations',
    text: `SELECT count(*) FROM (SELECT id FROM organizations
      WHERE tenant_id = $1 AND customer_number IN (SELECT DISTINCT customer_number FROM ${rows} AS r)
      ORDER BY id FOR KEY SHARE) AS held`,
    values: chunkValues(chunk),
  });
  const found = await tx.query<{ n: number }>({
    name: 'find-contacts-of-nobody',
    text: `SELECT n FROM ${rows} AS r LEFT JOIN ${organization} ON true WHERE o.id IS NULL`,
    values: chunkValues(chunk),
  });
  return found.rows.map(({ n }) => n);
}

/** Updates the contacts that differ from the rows of a chunk and creates new ones; returns the number of both together. */
export async function writeContacts(tx: Tx, chunk: ImportChunk): Promise<number> {
  const found = await tx.query<{ written: number }>({
    name: 'write-imported-contacts',
    text: `WITH given AS MATERIALIZED (
        SELECT o.id AS organization_id, r.email, coalesce(r.first_name, c.first_name) AS first_name,
          coalesce(r.last_name, c.last_name) AS last_name, coalesce(r.role, c.role) AS role
        FROM ${rows} AS r CROSS JOIN ${organization} LEFT JOIN LATERAL (
          SELECT email, first_name, last_name, role FROM contacts
          WHERE tenant_id = $1 AND organization_id = o.id AND email = r.email OFFSET 0
        ) AS c ON true
        WHERE (c.email, c.first_name, c.last_name, c.role) IS DISTINCT FROM
          (r.email, coalesce(r.first_name, c.first_name), coalesce(r.last_name, c.last_name), coalesce(r.role, c.role))
      ), written AS (
        INSERT INTO contacts AS c (tenant_id, organization_id, email, first_name, last_name, role)
        SELECT $1, organization_id, email, first_name, last_name, role FROM given
        ON CONFLICT (tenant_id, organization_id, email) DO UPDATE SET first_name = excluded.first_name,
          last_name = excluded.last_name, role = excluded.role, updated_at = CURRENT_TIMESTAMP
        RETURNING *, xmax = 0 AS is_new
      ), published AS (${insertEventsSql(`(
        SELECT $1 AS tenant_id, CASE WHEN is_new THEN '${contactCreated.name}' ELSE '${contactUpdated.name}' END AS topic,
          jsonb_build_object('id', id, 'organization_id', organization_id, 'email', email, 'first_name', first_name,
            'last_name', last_name, 'role', role, 'approval_limit', trim_scale(approval_limit)::text,
            'created_at', ${instantSql('created_at')}, 'updated_at', ${instantSql('updated_at')}) AS data,
          '{}'::jsonb AS metadata
        FROM written) AS event`)}
      )
      SELECT count(*) AS written FROM written`,
    values: chunkValues(chunk),
  });
  return found.rows[0]?.written ?? 0;
}
