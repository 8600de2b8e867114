import type { Actor } from '#src/infra/deps.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import type { KeyPage } from '#src/infra/postgres/lists/keyset.ts';
import { SqlParameters } from '#src/infra/postgres/lists/sql-parameters.ts';
import { isoInstants } from '#src/infra/postgres/statements/instants.ts';
import type { CursorBounds } from '#src/infra/signing/signed-cursors.ts';
import { type AuditSubject, type IdBounds, findIdBounds, readSubject } from './audit-bounds.reads.ts';
import type { AdminAuditFilter, AuditFilter } from './audit.inputs.ts';

/** An entry of a list. `createdAt` is ISO 8601 text. */
export interface AuditEntryRow {
  id: number;
  orgId: string;
  tenantId: string;
  actorSub: string | null;
  /** As the token had it then; null for keys and the system. */
  actorEmail: string | null;
  viaSystem: boolean;
  channel: Actor['channel'];
  action: string;
  resourceType: string;
  resourceId: string;
  metadata: unknown;
  createdAt: string;
}

/** The tenant and the filter that a cursor of a tenant's log is bound to. */
export const auditBounds = (tenantId: string, filter: AuditFilter): CursorBounds => {
  const { sub, resourceType, action, subjectId } = filter;
  return ['audit-log', tenantId, sub, resourceType, action, subjectId, ...timeBounds(filter)];
};

const timeBounds = ({ since, until }: AuditFilter) => [since?.toISOString(), until?.toISOString()];

/** The filter that a cursor of the log of all tenants is bound to. */
export const allAuditBounds = (filter: AdminAuditFilter): CursorBounds => {
  const { orgId, tenantId, sub, email, resourceType, action } = filter;
  return ['admin-audit-log', orgId, tenantId, sub, email, resourceType, action, ...timeBounds(filter)];
};

const columns = `e.id, e.org_id AS "orgId", e.tenant_id AS "tenantId", e.actor_sub AS "actorSub", e.actor_email AS "actorEmail", e.via_system AS "viaSystem",
  e.channel, e.action, e.resource_type AS "resourceType", e.resource_id AS "resourceId", e.metadata, e.created_at AS "createdAt"`;

type Column = 'tenant_id' | 'actor_sub' | 'actor_email' | 'resource_id' | 'resource_type' | 'action';

/** A filter whose object and times are read. */
interface Scanned extends AdminAuditFilter {
  subject?: AuditSubject | undefined;
  ids: IdBounds;
}

const filterValues = (filter: Scanned): [Column, string][] =>
  (
    [
      ['resource_id', filter.subject?.resourceId],
      ['actor_sub', filter.sub],
      ['actor_email', filter.email],
      ['tenant_id', filter.tenantId],
      ['resource_type', filter.resourceType],
      ['action', filter.action],
    ] as const
  ).flatMap(([column, value]): [Column, string][] => (value == null ? [] : [[column, value]]));

/** The columns of the index to scan; every index ends with the id. */
function indexFor(filter: Scanned): readonly Column[] {
  if (filter.subject) return ['tenant_id', 'resource_id', 'resource_type'];
  if (filter.sub != null) return ['actor_sub', 'tenant_id', 'resource_type', 'action'];
  if (filter.email != null) return ['actor_email', 'tenant_id', 'resource_type', 'action'];
  const inTenants = filter.tenantId != null || filter.orgId != null;
  if (inTenants && filter.resourceType == null && filter.action == null) return ['tenant_id'];
  return inTenants ? ['tenant_id', 'resource_type', 'action'] : ['resource_type', 'action'];
}

/**
 * One page, as index scans that read only matching rows. A column without a filter has few distinct values, so a skip scan finds these
 * first, and the scans for all of them are merged. A filter that matches one row in a million costs as much as any other, and page 10,000
 * as much as page 1.
 */
function pageStatement(filter: Scanned, page: KeyPage<string>): { text: string; values: unknown[] } {
  const parameters = new SqlParameters();
  const { isOne, where, sources, wanted } = planScans(filter, parameters, page);
  const order = page.backwards ? 'ASC' : 'DESC';
  const walk = (selected: string, take: number, skip: number) =>
    `SELECT ${selected} FROM audit_entries e WHERE ${where}
     ORDER BY e.id ${order} LIMIT ${take}${skip > 0 ? ` OFFSET ${skip}` : ''}`;
  if (isOne) return { text: walk(columns, page.take, page.skip), values: parameters.values };
  const walked = `LATERAL (${walk('e.tenant_id, e.id', page.take + page.skip, 0)}) AS walked`;
  const text = `SELECT ${columns} FROM (
      SELECT walked.tenant_id, walked.id FROM ${[...sources, walked].join(' CROSS JOIN ')} WHERE ${wanted}
      ORDER BY walked.id ${order} LIMIT ${page.take} OFFSET ${page.skip}
    ) AS page JOIN audit_entries e ON e.tenant_id = page.tenant_id AND e.id = page.id ORDER BY e.id ${order}`;
  return { text, values: parameters.values };
}

/** The index scans of a filter: one for each row of `sources` that is `wanted`, with the condition `where`. */
function planScans(filter: Scanned, parameters: SqlParameters, page: Partial<KeyPage<string>>) {
  const known = new Map(filterValues(filter).map(([column, value]) => [column, parameters.add(value)]));
  const types = filter.subject && parameters.add(filter.subject.resourceTypes);
  const org = filter.orgId == null ? undefined : parameters.add(filter.orgId);
  const index = indexFor(filter);
  // The tenants of an organisation are read from their own table.
  const scansTenants = org !== undefined && !known.has('tenant_id') && index[0] === 'tenant_id';
  const findPlaceholder = (column: Column) =>
    scansTenants && column === 'tenant_id' ? 'tenants_of_org.id' : known.get(column);
  const firstOpen = index.findIndex((column) => findPlaceholder(column) === undefined);
  const fixed = firstOpen < 0 ? index : index.slice(0, firstOpen);
  const open = firstOpen < 0 ? [] : index.slice(firstOpen);

  const isFixed = fixed.map((column) => `e.${column} = ${findPlaceholder(column)}`);
  const conditions = [
    ...isFixed,
    ...open.map((column) => `e.${column} = open.${column}`),
    ...[...known].filter(([column]) => !index.includes(column)).map(([column, value]) => `e.${column} = ${value}`),
    ...(org === undefined || scansTenants ? [] : [`e.tenant_id IN (SELECT id FROM tenants WHERE org_id = ${org})`]),
    ...(types === undefined || open.includes('resource_type') ? [] : [`e.resource_type = ANY(${types}::text[])`]),
    ...timeConditions(filter, parameters),
    ...(page.after === undefined ? [] : [`e.id < ${parameters.add(page.after)}`]),
    ...(page.before === undefined ? [] : [`e.id > ${parameters.add(page.before)}`]),
  ];
  const sources = [
    ...(scansTenants ? [`(SELECT id FROM tenants WHERE org_id = ${org}) AS tenants_of_org`] : []),
    ...(open.length > 0 ? [`LATERAL (${skipScan(open, isFixed)}) AS open`] : []),
  ];
  const wanted = open.flatMap((column) => (known.has(column) ? [`open.${column} = ${known.get(column)}`] : []));
  if (types !== undefined && open.includes('resource_type')) wanted.push(`open.resource_type = ANY(${types}::text[])`);
  const all = (those: string[]) => those.join(' AND ') || 'true';
  return { isOne: sources.length === 0, where: all(conditions), sources, wanted: all(wanted) };
}

const timeConditions = ({ since, until, ids }: Scanned, parameters: SqlParameters): string[] => [
  ...(since ? [`e.created_at >= ${parameters.add(since)}`] : []),
  ...(until ? [`e.created_at < ${parameters.add(until)}`] : []),
  ...(ids.after === undefined ? [] : [`e.id > ${parameters.add(ids.after)}`]),
  ...(ids.before === undefined ? [] : [`e.id < ${parameters.add(ids.before)}`]),
];

/** The distinct values of adjacent columns of an index, by a skip scan: one probe for each value, however many rows have it. */
function skipScan(open: readonly Column[], isFixed: readonly string[]): string {
  const list = open.map((column) => `e.${column}`).join(', ');
  const probe = (further: string[]) =>
    `SELECT ${list} FROM audit_entries e WHERE ${[...isFixed, ...further].join(' AND ') || 'true'} ORDER BY ${list} LIMIT 1`;
  const seen = open.map((column) => `seen.${column}`).join(', ');
  return `WITH RECURSIVE seen AS (
      (${probe([])}) UNION ALL
      SELECT next.* FROM seen CROSS JOIN LATERAL (${probe([`(${list}) > (${seen})`])}) AS next
    ) SELECT * FROM seen`;
}

/** Counts with the same scans, so it reads no more rows than it counts. */
function countStatement(filter: Scanned, most: number): { text: string; values: unknown[] } {
  const parameters = new SqlParameters();
  const { where, sources, wanted } = planScans(filter, parameters, {});
  const walked = `LATERAL (SELECT FROM audit_entries e WHERE ${where} LIMIT ${most}) AS walked`;
  return {
    text: `SELECT count(*) FROM (SELECT FROM ${[...sources, walked].join(' CROSS JOIN ')} WHERE ${wanted} LIMIT ${most}) AS met`,
    values: parameters.values,
  };
}

const scanned = async (database: Database, filter: AdminAuditFilter & AuditFilter): Promise<Scanned> => ({
  ...filter,
  subject: readSubject(filter.subjectId),
  ids: await findIdBounds(database, filter),
});

/** One page of a tenant's entries, newest first; oldest first if the page is read backwards. */
export async function listAudit(database: Database, tenantId: string, filter: AuditFilter, page: KeyPage<string>) {
  const statement = pageStatement(await scanned(database, { ...filter, tenantId }), page);
  return database.tenantQuery<AuditEntryRow>(tenantId, { ...statement, types: isoInstants });
}

export async function countAudit(
  database: Database,
  tenantId: string,
  filter: AuditFilter,
  most: number,
): Promise<number> {
  const statement = countStatement(await scanned(database, { ...filter, tenantId }), most);
  const [row] = await database.tenantQuery<{ count: number }>(tenantId, statement);
  return row?.count ?? 0;
}

/** The tenant's entries with these ids, by id. */
export async function findAudit(
  database: Database,
  tenantId: string,
  ids: readonly bigint[],
): Promise<Map<number, AuditEntryRow>> {
  const rows = await database.tenantQuery<AuditEntryRow>(tenantId, {
    text: `SELECT ${columns} FROM audit_entries e WHERE e.tenant_id = $1 AND e.id = ANY($2::bigint[])`,
    values: [tenantId, ids.map(String)],
    types: isoInstants,
  });
  return new Map(rows.map((row) => [row.id, row]));
}

/** One page of the entries of all tenants. */
export async function listAllAudit(
  database: Database,
  filter: AdminAuditFilter,
  page: KeyPage<string>,
): Promise<AuditEntryRow[]> {
  const statement = pageStatement(await scanned(database, filter), page);
  const { rows } = await database.system.query<AuditEntryRow>({ ...statement, types: isoInstants });
  return rows;
}

export async function countAllAudit(database: Database, filter: AdminAuditFilter, most: number): Promise<number> {
  const statement = countStatement(await scanned(database, filter), most);
  const { rows } = await database.system.query<{ count: number }>(statement);
  return rows[0]?.count ?? 0;
}
