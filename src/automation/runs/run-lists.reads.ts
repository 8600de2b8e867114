import type { Database } from '#src/infra/postgres/database.ts';
import type { Cursors, KeyPage } from '#src/infra/postgres/lists/keyset.ts';
import { SqlParameters } from '#src/infra/postgres/lists/sql-parameters.ts';
import { isoInstants } from '#src/infra/postgres/statements/instants.ts';
import { runConditions, type RunFilter } from './run-filters.reads.ts';
import { runStatuses, type RunStatus } from './run-status.rules.ts';
import { runDuration, runColumns, type RunRow } from './runs.reads.ts';

export interface RunOrder {
  field: 'CREATED_AT' | 'STARTED_AT' | 'DURATION';
  direction: 'ASC' | 'DESC';
}

/** A place in an ordered list: the sort value (null if a run has none) and the id that settles ties. */
interface RunKey {
  value: string | null;
  id: string;
}

/** A segment of a list: all of it, the part where every run has a sort value, or the part where no run has one. */
type Segment = 'all' | 'values' | 'nulls';

interface OrderRule {
  /** The sort expression that precedes the id; null when the id is the only sort key. */
  expression: string | null;
  /** Type of the sort value in SQL. */
  type: string;
  readValue: (run: RunRow) => string | null;
  segments: Record<RunOrder['direction'], readonly Segment[]>;
  conditions: Record<Segment, readonly string[]>;
}

/**
 * Ids are handed out in order of creation, so CREATED_AT walks the primary key. Runs that have not started are the newest by start; runs
 * that have not ended have no duration and come last, in either direction. Each part is an index walk.
 */
const rules: Record<RunOrder['field'], OrderRule> = {
  CREATED_AT: {
    expression: null,
    type: '',
    readValue: () => null,
    segments: { ASC: ['all'], DESC: ['all'] },
    conditions: { all: [], values: [], nulls: [] },
  },
  STARTED_AT: {
    expression: 'started_at',
    type: 'timestamptz',
    readValue: ({ startedAt }) => startedAt,
    segments: { ASC: ['values', 'nulls'], DESC: ['nulls', 'values'] },
    conditions: { all: [], values: ['started_at IS NOT NULL'], nulls: ['started_at IS NULL'] },
  },
  DURATION: {
    expression: '(completed_at - started_at)',
    type: 'interval',
    readValue: (run) => {
      const duration = runDuration(run);
      return duration === null ? null : `${duration} ms`;
    },
    segments: { ASC: ['values', 'nulls'], DESC: ['values', 'nulls'] },
    conditions: {
      all: [],
      // The first lets the planner use the index of ended runs.
      values: ['completed_at IS NOT NULL', '(completed_at - started_at) IS NOT NULL'],
      nulls: ['(completed_at - started_at) IS NULL'],
    },
  },
};

/** Cursors of a list in this order; those of another order are refused. */
export function runCursors({ field }: RunOrder): Cursors<RunRow, RunKey> {
  const { readValue } = rules[field];
  const shape = new RegExp(`^${field}/([0-9TZ:. ms-]{0,40})/(\\d{1,18})$`);
  return {
    write: (run) => `${field}/${readValue(run) ?? ''}/${run.id}`,
    read(text) {
      const [, value, id] = shape.exec(text) ?? [];
      return value === undefined || id === undefined || !isValue(field, value)
        ? undefined
        : { value: value || null, id };
    },
  };
}

function isValue(field: RunOrder['field'], value: string): boolean {
  if (value === '') return true;
  if (field === 'STARTED_AT') return /^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/.test(value) && !Number.isNaN(Date.parse(value));
  return field === 'DURATION' && /^-?\d{1,15} ms$/.test(value);
}

/** One page of the tenant's runs. */
export async function listRuns(
  database: Database,
  tenantId: string,
  filter: RunFilter,
  order: RunOrder,
  page: KeyPage<RunKey>,
): Promise<RunRow[]> {
  const segments = listSegments(order, page);
  const rows: RunRow[] = [];
  let { skip } = page;
  for (const [index, segment] of segments.entries()) {
    const found = await listSegment(database, tenantId, filter, order, segment, {
      ...page,
      skip,
      take: page.take - rows.length,
    });
    rows.push(...found);
    if (rows.length >= page.take || index === segments.length - 1) break;
    // When all of a segment was skipped, the remainder of `skip` applies to the next one.
    skip =
      found.length > 0 || skip === 0
        ? 0
        : skip - (await countSegment(database, tenantId, filter, order, segment, page));
  }
  return rows;
}

/** The segments that a page may touch, in order. */
function listSegments({ field, direction }: RunOrder, { after, before, backwards }: KeyPage<RunKey>): Segment[] {
  // An index scan of starts walks nulls in this position anyway; only a cursor must distinguish the two segments.
  if (field === 'STARTED_AT' && !after && !before) return ['all'];
  const all = rules[field].segments[direction];
  const place = (key: RunKey): number => (all.length === 1 ? 0 : all.indexOf(key.value === null ? 'nulls' : 'values'));
  const touched = all.slice(after ? place(after) : 0, before ? place(before) + 1 : undefined);
  return backwards ? touched.toReversed() : touched;
}

/** Page sizes that are worth a prepared statement: the default, the largest, and the one of the product's own lists. */
const preparedSizes = [25, 50, 100];

async function listSegment(
  database: Database,
  tenantId: string,
  filter: RunFilter,
  order: RunOrder,
  segment: Segment,
  page: KeyPage<RunKey>,
): Promise<RunRow[]> {
  const parameters = new SqlParameters();
  const where = segmentConditions(tenantId, filter, order, segment, page, parameters);
  const { expression } = rules[order.field];
  const way = (order.direction === 'ASC') === page.backwards ? 'DESC' : 'ASC';
  const by = expression === null || segment === 'nulls' ? `r.id ${way}` : `${expression} ${way}, r.id ${way}`;
  // Paged first, joined after: a tenant's filter on both sides of the join made Postgres read all of its runs.
  const text = `SELECT ${runColumns} FROM (
      SELECT * FROM runs r WHERE ${where.join(' AND ')} ORDER BY ${by} LIMIT ${page.take}${page.skip > 0 ? ` OFFSET ${page.skip}` : ''}
    ) AS r JOIN workflows w ON w.tenant_id = r.tenant_id AND w.id = r.workflow_id ORDER BY ${by}`;
  const isPlain = Object.values(filter).every((value) => value == null) && page.skip === 0;
  return database.tenantQuery<RunRow>(tenantId, {
    text,
    values: parameters.values,
    types: isoInstants,
    ...(isPlain && preparedSizes.includes(page.take - 1) && { name: statementName(text) }),
  });
}

const names = new Map<string, string>();

/** A name of its own for each text that is prepared; there are a few dozen. */
function statementName(text: string): string {
  const name = names.get(text) ?? `runs-${names.size}`;
  names.set(text, name);
  return name;
}

async function countSegment(
  database: Database,
  tenantId: string,
  filter: RunFilter,
  order: RunOrder,
  segment: Segment,
  page: KeyPage<RunKey>,
): Promise<number> {
  const parameters = new SqlParameters();
  const where = segmentConditions(tenantId, filter, order, segment, page, parameters);
  const [row] = await database.tenantQuery<{ count: number }>(tenantId, {
    text: `SELECT count(*) FROM runs r WHERE ${where.join(' AND ')}`,
    values: parameters.values,
  });
  return row?.count ?? 0;
}

function segmentConditions(
  tenantId: string,
  filter: RunFilter,
  { field, direction }: RunOrder,
  segment: Segment,
  { after, before }: Pick<KeyPage<RunKey>, 'after' | 'before'>,
  parameters: SqlParameters,
): string[] {
  const { expression, type, conditions } = rules[field];
  const beyond = (key: RunKey | undefined, sign: '<' | '>'): string[] => {
    if (!key) return [];
    if (expression === null || (segment === 'nulls' && key.value === null))
      return [`id ${sign} ${parameters.add(key.id)}`];
    if (segment !== 'values' || key.value === null) return [];
    return [`(${expression}, id) ${sign} (${parameters.add(key.value)}::${type}, ${parameters.add(key.id)}::bigint)`];
  };
  return [
    ...runConditions(tenantId, filter, parameters),
    ...conditions[segment],
    ...beyond(after, direction === 'ASC' ? '>' : '<'),
    ...beyond(before, direction === 'ASC' ? '<' : '>'),
  ];
}

export async function countRuns(
  database: Database,
  tenantId: string,
  filter: RunFilter,
  most: number,
): Promise<number> {
  const parameters = new SqlParameters();
  const where = runConditions(tenantId, filter, parameters).join(' AND ');
  const [row] = await database.tenantQuery<{ count: number }>(tenantId, {
    text: `SELECT count(*) FROM (SELECT FROM runs WHERE ${where} LIMIT ${most}) AS met`,
    values: parameters.values,
    countsList: true,
  });
  return row?.count ?? 0;
}

/** The number of runs within the filter, for every status, including zeros. */
export async function summariseRuns(
  database: Database,
  tenantId: string,
  filter: RunFilter,
): Promise<{ total: number; byStatus: Record<RunStatus, number> }> {
  const parameters = new SqlParameters();
  const rows = await database.tenantQuery<{ status: RunStatus; count: number }>(tenantId, {
    text: `SELECT status, count(*) FROM runs WHERE ${runConditions(tenantId, filter, parameters).join(' AND ')} GROUP BY status`,
    values: parameters.values,
  });
  const byStatus = Object.fromEntries(runStatuses.map((status) => [status, 0])) as Record<RunStatus, number>;
  for (const { status, count } of rows) byStatus[status] = count;
  return { total: rows.reduce((sum, { count }) => sum + count, 0), byStatus };
}
