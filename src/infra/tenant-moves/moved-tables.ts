import type pg from 'pg';

/** A table with the rows of a tenant, as it moves. */
export interface MovedTable {
  name: string;
  /** Without generated columns. */
  columns: string[];
  key: string[];
  /** Its rows are copied while the tenant is open, and what has changed since once it is closed. */
  isHistory: boolean;
  /** Tables that its rows refer to; they come before it. */
  parents: string[];
  /** The column by which its partitions are divided. */
  partitionColumn: string | null;
}

/**
 * Tables that grow with every run, order and delivery. Nothing refers to their rows by a foreign key, and no trigger derives anything from
 * them, so a changed row may be deleted and inserted again.
 */
export const historyTables: ReadonlySet<string> = new Set([
  'runs',
  'run_payloads',
  'run_results',
  'steps',
  'run_log_lines',
  'audit_entries',
  'order_changes',
  'stock_movements',
  'webhook_payloads',
  'webhook_deliveries',
  'webhook_attempts',
]);

/** Tables of tenants whose rows are not copied, and why. */
export const tablesLeft: Readonly<Record<string, string>> = {
  attribute_values: 'Triggers derive them from the rows that arrive.',
  oauth_states: 'An authorisation under way is begun again.',
  workflow_editors: 'They say who has an editor open now.',
  outbox_events: 'Only events that a consumer has not read are moved.',
  extensions: 'A tenant that has registered extensions does not move.',
  extension_names: 'A tenant that has registered extensions does not move.',
};

/** Columns with ids of rows that belong to no tenant: the row with the same name in the target has another id. */
export const mappedColumns: Readonly<Record<string, Readonly<Record<string, 'user' | 'theme' | 'extension'>>>> = {
  api_keys: { created_by: 'user' },
  bulk_actions: { actor_user_id: 'user' },
  error_groups: { assignee_id: 'user' },
  extension_breakers: { extension_id: 'extension' },
  extension_installations: { extension_id: 'extension' },
  saved_views: { user_id: 'user' },
  tenant_users: { user_id: 'user' },
  theme_installations: { theme_id: 'theme' },
  workflow_drafts: { saved_by: 'user' },
  workflow_revisions: { created_by: 'user' },
  workflows: { revision_author: 'user' },
};

/** Columns with keys of stored objects. */
export const objectColumns: Readonly<Record<string, string>> = {
  bulk_jobs: 'result_key',
  run_files: 'storage_key',
  uploads: 'storage_key',
};

/** Columns that differ in the target although the row is the same: ids that are mapped, and data keys, which are wrapped anew. */
export const isSummed = (table: string, column: string): boolean =>
  mappedColumns[table]?.[column] === undefined && !(table === 'data_keys' && ['kek_id', 'wrapped'].includes(column));

interface TableRow {
  name: string;
  columns: string[];
  key: string[];
  parents: string[];
  partitionColumn: string | null;
}

const tablesSql = `
  SELECT c.relname AS name,
    (SELECT array_agg(attname::text ORDER BY attnum) FROM pg_attribute
      WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '') AS columns,
    (SELECT array_agg(a.attname::text ORDER BY k.place) FROM pg_index i, unnest(i.indkey) WITH ORDINALITY AS k(attnum, place)
      JOIN pg_attribute a ON a.attnum = k.attnum WHERE a.attrelid = c.oid AND i.indrelid = c.oid AND i.indisprimary) AS key,
    ARRAY(SELECT DISTINCT p.relname::text FROM pg_constraint f JOIN pg_class p ON p.oid = f.confrelid
      WHERE f.conrelid = c.oid AND f.contype = 'f' AND p.oid <> c.oid) AS parents,
    (SELECT a.attname::text FROM pg_partitioned_table pt JOIN pg_attribute a ON a.attrelid = pt.partrelid AND a.attnum = pt.partattrs[0]
      WHERE pt.partrelid = c.oid AND pt.partstrat = 'r') AS "partitionColumn"
  FROM pg_class c JOIN pg_attribute t ON t.attrelid = c.oid AND t.attname = 'tenant_id'
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1`;

/** Every table with a tenant, parents before the tables that refer to them. */
export async function readTenantTables(client: pg.Client): Promise<MovedTable[]> {
  const { rows } = await client.query<TableRow>(tablesSql);
  const waiting = new Map(rows.map((row) => [row.name, row]));
  const sorted: MovedTable[] = [];
  while (waiting.size > 0) {
    const next = [...waiting.values()].filter((row) => !row.parents.some((parent) => waiting.has(parent)));
    if (next.length === 0) throw new Error(`These tables refer to each other: ${[...waiting.keys()].join(', ')}.`);
    for (const row of next) {
      waiting.delete(row.name);
      const isHistory = historyTables.has(row.name);
      // Staged rows of imports have one partition for all.
      sorted.push({ ...row, isHistory, partitionColumn: isHistory ? row.partitionColumn : null });
    }
  }
  return sorted;
}

/** The tables that are copied. */
export const copiedTables = (tables: readonly MovedTable[]): MovedTable[] =>
  tables.filter(({ name }) => tablesLeft[name] === undefined);

/** Tables that must be there before history arrives, because its rows refer to them. */
export function earlyTables(tables: readonly MovedTable[]): MovedTable[] {
  const wanted = new Set(tables.filter(({ isHistory }) => isHistory).flatMap(({ parents }) => parents));
  return tables.filter(({ name, isHistory }) => isHistory || wanted.has(name));
}

export const quoted = (names: readonly string[], prefix = ''): string =>
  names.map((name) => `${prefix}"${name}"`).join(', ');
