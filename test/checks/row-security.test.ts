import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneDatabase } from '#test/setup/database.ts';

/** Tables whose rows of one tenant another may see, and why. */
const shared = new Map([
  ['extension_names', 'A name that one vendor has taken is taken for all.'],
  ['extensions', 'What a vendor has published is in the registry of every tenant.'],
  ['oauth_states', 'The answer of an authorization server says which state, and the state which tenant.'],
]);

interface Table {
  name: string;
  isForced: boolean;
  /** Conditions under which the role of requests sees or changes rows; null where a policy has none. A view has its own. */
  conditions: (string | null)[] | null;
  /** A partition has no policies of its own: nobody reads it but through its table. */
  isPartition: boolean;
  isGranted: boolean;
}

let clone: Awaited<ReturnType<typeof cloneDatabase>>;
let owner: pg.Client;
beforeAll(async () => {
  clone = await cloneDatabase();
  owner = new pg.Client({ connectionString: clone.url });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await clone.drop();
});

async function tablesOfTenants(): Promise<Table[]> {
  const { rows } = await owner.query<Table>(
    `SELECT c.relname AS name, c.relkind = 'v' OR c.relrowsecurity AND c.relforcerowsecurity AS "isForced", c.relispartition AS "isPartition",
       CASE WHEN c.relkind = 'v' THEN ARRAY[substring(pg_get_viewdef(c.oid) FROM 'WHERE \\(?(\\(tenant_id = .*?\\))(?: AND .*)?;')] ELSE (SELECT array_agg(condition) FROM pg_policy p, unnest(ARRAY[pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)])
          WITH ORDINALITY AS conditions (condition, at)
        WHERE polrelid = c.oid AND polroles && ARRAY['causeway_app'::regrole::oid, 0::oid] AND (at = 1 OR condition IS NOT NULL)) END AS conditions,
       (SELECT bool_or(has_table_privilege(role, c.oid, 'SELECT, INSERT, UPDATE, DELETE'))
        FROM unnest(ARRAY['causeway_app', 'causeway_system']) role) AS "isGranted"
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm') ORDER BY 1`,
  );
  return rows;
}

const isOfTenant = (condition: string | null): boolean =>
  condition !== null &&
  /^\(tenant_id = (current_tenant\(\)|\( SELECT current_tenant\(\) AS current_tenant\))\)$/.test(condition);

/** Tables that would show a request the rows of another tenant. */
const open = async (): Promise<string[]> =>
  (await tablesOfTenants())
    .filter(({ name }) => !shared.has(name))
    .filter(({ isForced, isPartition, isGranted, conditions }) =>
      isPartition ? isGranted : !isForced || !(conditions ?? []).every(isOfTenant),
    )
    .map(({ name }) => name);

test('a request sees only rows of its own tenant, in every table with a tenant', async () => {
  expect((await tablesOfTenants()).length).toBeGreaterThan(60);
  expect(await open()).toEqual([]);
});

test('a table without row-level security, or with a policy for all, is found', async () => {
  await owner.query('BEGIN');
  await owner.query('CREATE TABLE bare (tenant_id text)');
  await owner.query('CREATE TABLE wide (tenant_id text)');
  await owner.query('ALTER TABLE wide ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY');
  await owner.query('CREATE POLICY own ON wide TO causeway_app USING (tenant_id = current_tenant())');
  await owner.query('CREATE POLICY everyone ON wide USING (true)');
  await owner.query('ALTER TABLE orders NO FORCE ROW LEVEL SECURITY');
  await owner.query('GRANT SELECT ON runs_p0 TO causeway_app');
  await owner.query('CREATE VIEW seen AS SELECT tenant_id, id FROM runs');
  await owner.query(
    'CREATE VIEW seen_partly AS SELECT tenant_id, id FROM runs WHERE tenant_id = current_tenant() OR id < 10',
  );
  expect(await open()).toEqual(['bare', 'orders', 'runs_p0', 'seen', 'seen_partly', 'wide']);
  await owner.query('ROLLBACK');
});
