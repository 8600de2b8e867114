import { parseInput } from '#src/infra/inputs.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import type { KeyPage, TextPage } from '#src/infra/postgres/lists/keyset.ts';
import { SqlParameters } from '#src/infra/postgres/lists/sql-parameters.ts';
import { type EntryKey, entryColumns, isLive, selectEntry, type StateEntry } from './state-entries.store.ts';
import { isDeclared, type StateNamespace } from './state-namespaces.store.ts';
import { namespacePattern, stateKey, stateLimits } from './state.inputs.ts';
import { afterPrefix } from './state.rules.ts';

/** A page of a tenant's namespaces, by name. Expired entries count until they are deleted, which takes minutes. */
export const listNamespaces = (
  database: Database,
  tenantId: string,
  { take, skip, direction, beyond }: TextPage,
): Promise<StateNamespace[]> =>
  database.tenantQuery<StateNamespace & Record<string, unknown>>(tenantId, {
    name: `state-namespaces-${direction}`,
    text: `SELECT namespace, entries, bytes, updated_at AS "updatedAt" FROM state_namespaces
      WHERE tenant_id = $1 AND ($2::text IS NULL OR namespace COLLATE "C" > $2)
        AND ($3::text IS NULL OR namespace COLLATE "C" < $3)
      ORDER BY namespace COLLATE "C" ${direction} LIMIT $4 OFFSET $5`,
    values: [tenantId, beyond.gt ?? null, beyond.lt ?? null, take, skip],
  });

export const countNamespaces = (database: Database, tenantId: string): Promise<number> =>
  database.reader(tenantId).stateNamespace.count({ where: { tenantId } });

/** A namespace that is in use. */
export async function findNamespace(
  database: Database,
  tenantId: string,
  namespace: string,
): Promise<StateNamespace | null> {
  if (!isNamespace(namespace)) return null;
  const found = await database
    .reader(tenantId)
    .stateNamespace.findUnique({ where: { tenantId_namespace: { tenantId, namespace } } });
  return found && { ...found, entries: Number(found.entries), bytes: Number(found.bytes) };
}

/** True when this is a valid name for a namespace. */
export const isNamespace = (name: string): boolean => namespacePattern.test(name);

/** True when the namespace exists: it is or was in use, or a workflow declares it. */
export async function hasNamespace(database: Database, tenantId: string, namespace: string): Promise<boolean> {
  return database.withTenant(tenantId, async (tx) => {
    const found = await tx.stateNamespace.findFirst({ where: { tenantId, namespace }, select: { namespace: true } });
    return found !== null || isDeclared(tx, tenantId, namespace);
  });
}

export async function findEntry(
  database: Database,
  tenantId: string,
  entry: EntryKey,
): Promise<StateEntry | undefined> {
  if (!isNamespace(entry.namespace) || !stateKey.safeParse(entry.key).success) return undefined;
  return selectEntry((statement) => database.tenantQuery(tenantId, statement), tenantId, entry);
}

export interface EntryFilter {
  namespace: string;
  /** Empty for every key. Must be well-formed text. */
  prefix: string;
}

/** Throws a ValidationError for text that no key can begin with. */
export function readPrefix(given: string | null | undefined): string {
  if (given === null || given === undefined || given === '') return '';
  return parseInput(stateKey, given, 'prefix');
}

/** SQL after WHERE. It uses a range instead of LIKE, which under row-level security would read every key (see EXPLAIN's test). */
function conditions(
  tenantId: string,
  { namespace, prefix }: EntryFilter,
  page?: Pick<KeyPage<string>, 'after' | 'before'>,
) {
  const parameters = new SqlParameters();
  const clauses = [
    `e.tenant_id = ${parameters.add(tenantId)}`,
    `e.namespace = ${parameters.add(namespace)}`,
    isLive('e'),
  ];
  const bound = (operator: string, key: string | undefined): void => {
    if (key !== undefined) clauses.push(`e.key ${operator} ${parameters.add(key)}`);
  };
  if (prefix !== '') {
    bound('>=', prefix);
    bound('<', afterPrefix(prefix));
  }
  bound('>', page?.after);
  bound('<', page?.before);
  return { where: clauses.join(' AND '), parameters };
}

/** An entry of a page; one that does not fit is the start of the next page. */
export type PagedEntry = StateEntry & { fits: boolean };

/**
 * One page of a namespace's entries, in the byte order of their keys; in reverse when `backwards`. It ends with the first
 * entry that exceeds the page's bytes: later values are not read.
 */
export function pageEntries(tenantId: string, filter: EntryFilter, page: KeyPage<string>) {
  const { where, parameters } = conditions(tenantId, filter, page);
  const direction = page.backwards ? 'DESC' : 'ASC';
  return {
    text: `SELECT ${entryColumns}, through <= ${stateLimits.pageBytes} AS fits FROM (
        SELECT *, sum(size) OVER (ORDER BY key ${direction} ROWS UNBOUNDED PRECEDING) AS through FROM (
          SELECT * FROM state_entries e WHERE ${where}
          ORDER BY e.key ${direction} LIMIT ${parameters.add(page.take)} OFFSET ${parameters.add(page.skip)}
        ) AS page
      ) AS summed WHERE through - size <= ${stateLimits.pageBytes} ORDER BY key ${direction}`,
    values: parameters.values,
  };
}

export async function countEntries(
  database: Database,
  tenantId: string,
  filter: EntryFilter,
  most: number,
): Promise<number> {
  const { where, parameters } = conditions(tenantId, filter);
  const text = `SELECT count(*) AS count FROM (SELECT FROM state_entries e WHERE ${where} LIMIT ${most}) AS met`;
  const [row] = await database.tenantQuery<{ count: number }>(tenantId, { text, values: parameters.values });
  return row?.count ?? 0;
}
