import type { Database } from '#src/infra/postgres/database.ts';
import { type NumberRange, rangesOfPrefix } from '#src/infra/postgres/lists/number-prefixes.ts';
import { SqlParameters } from '#src/infra/postgres/lists/sql-parameters.ts';
import { sqlState } from '#src/infra/postgres/sql-errors.ts';
import type { SearchKind } from './search.inputs.ts';
import { ranks, type SearchHit } from './search.rules.ts';
import { trigramIndexes, type Searched, searched } from './searched-tables.reads.ts';

/** A statement that takes longer is ended. */
const limits = { statement_timeout: '1000ms' };

/** Rows that contain the words and are ranked; of more, an arbitrary selection. */
const maxCandidates = 500;

/** The rows that a search found, and whether it had to leave out some for lack of time. */
export interface SearchOutcome {
  hits: SearchHit[];
  isPartial: boolean;
}

/** Every row has the columns of a SearchHit. */
type Part = string;

const columns = (kind: SearchKind, { title, subtitle }: Searched, rank: string): string =>
  `SELECT '${kind}' AS kind, id, ${title} AS title, ${subtitle} AS subtitle, ${rank} AS rank`;

/** What begins with the text: a range of an index for each name and number, and for each length of a number that is stored as one. */
export function findByPrefix(
  database: Database,
  tenantId: string,
  kinds: readonly SearchKind[],
  text: string,
  first: number,
): Promise<SearchOutcome> {
  const parameters = new SqlParameters();
  const tenant = parameters.add(tenantId);
  const given = parameters.add(text);
  const low = `lower(${given}::text)`;
  const ranges = rangesOfPrefix(text);
  const parts = kinds.flatMap((kind): Part[] => {
    const table = searched[kind];
    const from = `FROM ${table.from} WHERE tenant_id = ${tenant}`;
    const byText = table.prefixes.map(
      ({
        column,
        rank,
      }) => `(${columns(kind, table, `CASE lower(${column}) WHEN ${low} THEN ${ranks.exact} ELSE ${ranks[rank]} END`)}
        FROM (SELECT * ${from} AND ${column} IS NOT NULL AND lower(${column}) ~>=~ ${low} AND lower(${column}) ~<~ (${low} || chr(1114111))
          ORDER BY lower(${column}) USING ~<~ LIMIT ${first}) AS found)`,
    );
    const whole = table.exact
      .filter(({ accepts }) => accepts?.(text) ?? true)
      .map(
        ({ condition }) =>
          `(${columns(kind, table, `${ranks.exact}`)} ${from} AND ${condition(given, tenant)} LIMIT ${first})`,
      );
    return [...byText, ...whole, ...(table.number === undefined ? [] : numbered(kind, table, ranges))];
  });

  function numbered(kind: SearchKind, table: Searched, within: NumberRange[]): Part[] {
    if (within.length === 0) return [];
    const [lows, highs] = [0, 1].map((end) => parameters.add(within.map((range) => range[end as 0])));
    return [
      `(${columns(kind, table, `CASE ${table.number} WHEN ${parameters.add(within[0]?.[0])}::bigint THEN ${ranks.exact} ELSE ${ranks.number} END`)}
        FROM unnest(${lows}::bigint[], ${highs}::bigint[]) AS range (low, high), LATERAL (SELECT * FROM ${table.from}
          WHERE tenant_id = ${tenant} AND ${table.number} BETWEEN low AND high ORDER BY ${table.number} DESC LIMIT ${first}) AS found
        LIMIT ${first})`,
    ];
  }
  return run(database, tenantId, parts, parameters, limits);
}

/**
 * What contains every word, by trigram. Other ways to read a table are turned off: for a text that few rows contain, the planner would
 * rather read the tenant's rows until it has found enough. Words without a trigram, which no index knows, are compared with a bounded
 * number of the rows that contain the others.
 */
export function findByTrigram(
  database: Database,
  tenantId: string,
  kinds: readonly SearchKind[],
  { indexed, others, phrase }: { indexed: readonly string[]; others: readonly string[]; phrase: string },
  first: number,
): Promise<SearchOutcome> {
  const parameters = new SqlParameters();
  const tenant = parameters.add(tenantId);
  const add = (word: string) => parameters.add(`%${escapeLike(word)}%`);
  const [inIndex, beside] = [indexed.map(add), others.map(add)];
  const start = parameters.add(`% ${escapeLike(phrase)}%`);
  const parts = kinds.flatMap((kind): Part[] => {
    const table = searched[kind];
    if (table.contained === undefined) return [];
    const contains = (pattern: string) => `(${table.contained}) ILIKE ${pattern}`;
    const rank = `CASE WHEN (' ' || ${table.contained}) ILIKE ${start} THEN ${ranks.word} ELSE ${ranks.contained} END`;
    return [
      `(${columns(kind, table, rank)} FROM (SELECT * FROM ${table.from}
        WHERE tenant_id = ${tenant} AND ${inIndex.map(contains).join(' AND ')} LIMIT ${maxCandidates}) AS found
        WHERE ${['true', ...beside.map(contains)].join(' AND ')} ORDER BY rank DESC, title LIMIT ${first})`,
    ];
  });
  const bitmapsOnly = { enable_seqscan: 'off', enable_indexscan: 'off', enable_indexonlyscan: 'off' };
  return run(database, tenantId, parts, parameters, { ...limits, ...bitmapsOnly });
}

/** The newest runs of workflows, and the newest orders of customers, that were found. */
export function findRelated(
  database: Database,
  tenantId: string,
  { workflows, customers }: { workflows: readonly number[]; customers: readonly number[] },
  first: number,
): Promise<SearchOutcome> {
  const parameters = new SqlParameters();
  const tenant = parameters.add(tenantId);
  const newest = (kind: 'run' | 'order', ids: readonly number[], key: string, by: string): Part[] =>
    ids.length === 0
      ? []
      : [
          `(${columns(kind, searched[kind], `${ranks.related}`)} FROM unnest(${parameters.add(ids)}::bigint[]) AS owner (key),
            LATERAL (SELECT * FROM ${searched[kind].from} WHERE tenant_id = ${tenant} AND ${key} = owner.key ORDER BY ${by} DESC LIMIT ${first}) AS found
            ORDER BY ${by} DESC LIMIT ${first})`,
        ];
  const parts = [
    ...newest('run', workflows, 'workflow_id', 'id'),
    ...newest('order', customers, 'organization_id', 'placed_at'),
  ];
  return run(database, tenantId, parts, parameters, limits);
}

async function run(
  database: Database,
  tenantId: string,
  parts: readonly Part[],
  { values }: SqlParameters,
  settings: Readonly<Record<string, string>>,
): Promise<SearchOutcome> {
  if (parts.length === 0) return { hits: [], isPartial: false };
  try {
    const hits = await database.tenantQuery<SearchHit & Record<string, unknown>>(tenantId, {
      text: parts.join('\nUNION ALL\n'),
      values,
      settings,
    });
    return { hits, isPartial: false };
  } catch (error) {
    if (sqlState(error) === canceled) return { hits: [], isPartial: true };
    throw error;
  }
}

/** SQLSTATE of a statement that took longer than statement_timeout. */
const canceled = '57014';

const escapeLike = (text: string): string => text.replace(/[\\%_]/g, String.raw`\$&`);

/** Trigrams as the database supports them. */
export interface TrigramSupport {
  /** False until every index is built: the server lacks the extensions, or did so at the last migration. */
  isIndexed: boolean;
  /** False if only letters of ASCII count as letters. */
  allScripts: boolean;
}

const supports = new WeakMap<Database, { until: number; support: Promise<TrigramSupport> }>();
const keptMs = 60_000;

/** Asked once a minute: an index may be built while the process runs. */
export function trigramSupport(database: Database, tenantId: string): Promise<TrigramSupport> {
  const known = supports.get(database);
  if (known && known.until > performance.now()) return known.support;
  const support = readSupport(database, tenantId);
  supports.set(database, { until: performance.now() + keptMs, support });
  support.catch(() => supports.delete(database));
  return support;
}

async function readSupport(database: Database, tenantId: string): Promise<TrigramSupport> {
  const [support] = await database.tenantQuery<TrigramSupport & Record<string, unknown>>(tenantId, {
    text: `SELECT (SELECT count(*) FROM pg_index WHERE indisvalid AND indexrelid = ANY(SELECT to_regclass(name) FROM unnest($1::text[]) AS name)) = $2 AS "isIndexed",
        (SELECT datctype NOT IN ('C', 'POSIX') FROM pg_database WHERE datname = current_database()) AS "allScripts"`,
    values: [trigramIndexes, trigramIndexes.length],
  });
  return support as TrigramSupport;
}
