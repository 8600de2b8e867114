import type { Database } from '#src/infra/postgres/database.ts';
import type { Cursors, KeyPage } from '#src/infra/postgres/lists/keyset.ts';
import { containing, SqlParameters } from '#src/infra/postgres/lists/sql-parameters.ts';
import { isoInstants } from '#src/infra/postgres/statements/instants.ts';
import type { ErrorGroupKind } from '#src/journal/error-groups/error-fingerprint.rules.ts';
import { type ErrorGroupStatus, maxCounted, shownWorkflows } from './error-groups.rules.ts';

/** A group as lists show it. Instants are ISO 8601 text. */
export interface ErrorGroupRow {
  /** A UUID. */
  id: string;
  kind: ErrorGroupKind;
  node: string | null;
  code: string;
  message: string;
  status: ErrorGroupStatus;
  /** The address of its user, without one the subject; null where nobody looks after it. */
  assignee: string | null;
  mutedUntil: string | null;
  firstAt: string;
  lastAt: string;
  reopenedAt: string | null;
  /** `lastAt` in microseconds since 1970. */
  place: number;
}

const columns = `g.id, g.kind, g.node, g.code, g.message, g.status,
  (SELECT coalesce(u.email, u.sub) FROM users u WHERE u.id = g.assignee_id) AS assignee, g.muted_until AS "mutedUntil", g.first_at AS "firstAt",
  g.last_at AS "lastAt", g.reopened_at AS "reopenedAt", (extract(epoch FROM g.last_at) * 1000000)::bigint AS place`;

type Reader = Pick<Database, 'tenantQuery'>;
type Place = [micros: number, id: string];

export const errorGroupCursors: Cursors<ErrorGroupRow, Place> = {
  write: ({ place, id }) => `${place}:${id}`,
  read(text) {
    const [, micros, id] = /^(\d{1,16}):([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(text) ?? [];
    return id === undefined ? undefined : [Number(micros), id];
  },
};

/** All given filters must match. */
export interface ErrorGroupFilter {
  status?: readonly ErrorGroupStatus[] | null;
  kind?: ErrorGroupKind | null;
  node?: string | null;
  code?: string | null;
  /** A workflow that has items in the group now. */
  workflowId?: bigint | null;
  /** The id of a user. */
  assigneeId?: number | bigint | null;
  since?: Date | null;
  search?: string | null;
}

function conditions(tenantId: string, filter: ErrorGroupFilter, parameters: SqlParameters): string[] {
  const tenant = parameters.add(tenantId);
  const where = [`g.tenant_id = ${tenant}`];
  if (filter.status && filter.status.length > 0) where.push(`g.status = ANY(${parameters.add(filter.status)}::text[])`);
  if (filter.kind != null) where.push(`g.kind = ${parameters.add(filter.kind)}`);
  if (filter.node != null) where.push(`g.node = ${parameters.add(filter.node)}`);
  if (filter.code != null) where.push(`g.code = ${parameters.add(filter.code)}`);
  if (filter.assigneeId != null) where.push(`g.assignee_id = ${parameters.add(filter.assigneeId)}`);
  if (filter.since) where.push(`g.last_at >= ${parameters.add(filter.since)}`);
  if (filter.search) where.push(`g.message ILIKE ${containing(filter.search, parameters)}`);
  if (filter.workflowId != null) {
    const ofWorkflow = `i.tenant_id = ${tenant} AND i.error_group_id = g.id AND i.workflow_id = ${parameters.add(filter.workflowId)}`;
    where.push(
      `(EXISTS (SELECT FROM runs i WHERE ${ofWorkflow}) OR EXISTS (SELECT FROM dead_letters i WHERE ${ofWorkflow} AND i.status = 'pending'))`,
    );
  }
  return where;
}

/** A page of the tenant's groups, those that failed last first. */
export const listErrorGroups = (
  { tenantQuery }: Reader,
  tenantId: string,
  filter: ErrorGroupFilter,
  { take, skip, backwards, after, before }: KeyPage<Place>,
): Promise<ErrorGroupRow[]> => {
  const parameters = new SqlParameters();
  const where = conditions(tenantId, filter, parameters);
  const beyond = ([micros, id]: Place, sign: '<' | '>') =>
    `(g.last_at, g.id) ${sign} (timestamptz 'epoch' + ${parameters.add(micros)}::bigint * interval '1 microsecond', ${parameters.add(id)}::uuid)`;
  if (after) where.push(beyond(after, '<'));
  if (before) where.push(beyond(before, '>'));
  const direction = backwards ? 'ASC' : 'DESC';
  return tenantQuery<ErrorGroupRow & Record<string, unknown>>(tenantId, {
    text: `SELECT ${columns} FROM error_groups g WHERE ${where.join(' AND ')}
      ORDER BY g.last_at ${direction}, g.id ${direction} LIMIT ${parameters.add(take)} OFFSET ${parameters.add(skip)}`,
    values: parameters.values,
    types: isoInstants,
  });
};

export async function countErrorGroups(
  { tenantQuery }: Reader,
  tenantId: string,
  filter: ErrorGroupFilter,
  most: number,
): Promise<number> {
  const parameters = new SqlParameters();
  const where = conditions(tenantId, filter, parameters);
  const [row] = await tenantQuery<{ count: number }>(tenantId, {
    text: `SELECT count(*) FROM (SELECT FROM error_groups g WHERE ${where.join(' AND ')} LIMIT ${parameters.add(most)}) AS counted`,
    values: parameters.values,
  });
  return row?.count ?? 0;
}

export async function findErrorGroup(
  { tenantQuery }: Reader,
  tenantId: string,
  id: string,
): Promise<ErrorGroupRow | undefined> {
  const [row] = await tenantQuery<ErrorGroupRow & Record<string, unknown>>(tenantId, {
    text: `SELECT ${columns} FROM error_groups g WHERE g.tenant_id = $1 AND g.id = $2`,
    values: [tenantId, id],
    types: isoInstants,
  });
  return row;
}

/** The groups with these ids, without those that are not there. */
export const findErrorGroups = (
  { tenantQuery }: Reader,
  tenantId: string,
  ids: readonly string[],
): Promise<ErrorGroupRow[]> =>
  tenantQuery<ErrorGroupRow & Record<string, unknown>>(tenantId, {
    text: `SELECT ${columns} FROM error_groups g WHERE g.tenant_id = $1 AND g.id = ANY($2::uuid[])`,
    values: [tenantId, ids],
    types: isoInstants,
  });

/** The items that a group has now. */
export interface GroupItems {
  /** At most `maxCounted`. */
  count: number;
  /** The newest of those counted; null where it has none. */
  sample: number | null;
  /** Those with the most items. */
  workflows: { id: number; count: number }[];
}

/** Tables of items, the column by which their index continues after the group, and which of their rows count. */
const items: Record<ErrorGroupKind, { table: string; by: string; condition: string }> = {
  run: { table: 'runs', by: 'workflow_id', condition: 'true' },
  dead_letter: { table: 'dead_letters', by: 'workflow_id', condition: `status = 'pending'` },
  webhook_delivery: { table: 'webhook_deliveries', by: 'destination_id', condition: 'true' },
};

/** The items of groups of one kind, read from their index alone. */
async function readItemsByKind(
  { tenantQuery }: Reader,
  tenantId: string,
  kind: ErrorGroupKind,
  ids: readonly string[],
): Promise<Map<string, GroupItems>> {
  const { table, by, condition } = items[kind];
  const workflows =
    kind === 'webhook_delivery'
      ? `'[]'::jsonb`
      : `coalesce(jsonb_agg(jsonb_build_object('id', source, 'count', n) ORDER BY n DESC, source) FILTER (WHERE rank <= ${shownWorkflows}), '[]')`;
  const rows = await tenantQuery<GroupItems & { id: string }>(tenantId, {
    text: `SELECT g.id, found.* FROM unnest($2::uuid[]) AS g(id) CROSS JOIN LATERAL (
        SELECT coalesce(sum(n), 0)::int AS count, max(last) AS sample, ${workflows} AS workflows FROM (
          SELECT source, count(*)::int AS n, max(id) AS last, row_number() OVER (ORDER BY count(*) DESC, source) AS rank FROM (
            SELECT ${by} AS source, id FROM ${table} WHERE tenant_id = $1 AND error_group_id = g.id AND ${condition} LIMIT ${maxCounted}
          ) AS item GROUP BY source
        ) AS counted
      ) AS found`,
    values: [tenantId, ids],
  });
  return new Map(rows.map(({ id, ...found }) => [id, found]));
}

/** The items of groups, by the ids of these. One statement for each kind of items. */
export async function readGroupItems(
  database: Reader,
  tenantId: string,
  groups: readonly Pick<ErrorGroupRow, 'id' | 'kind'>[],
): Promise<Map<string, GroupItems>> {
  const kinds = Map.groupBy(groups, ({ kind }) => kind);
  const found = await Promise.all(
    [...kinds].map(([kind, own]) =>
      readItemsByKind(
        database,
        tenantId,
        kind,
        own.map(({ id }) => id),
      ),
    ),
  );
  return new Map(found.flatMap((each) => [...each]));
}
