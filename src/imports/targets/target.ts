import type { Tx } from '#src/infra/postgres/tx.ts';
import type { Topic } from '#src/journal/outbox/topic.ts';
import type { Cell } from './cells.ts';

/** A field that files fill. */
export interface ImportColumn {
  /** Its name in profiles and files: `quantity_from`. */
  name: string;
  cell: Cell;
  required?: boolean;
  /** Used for a missing value. */
  byDefault?: string;
}

/** The staging table's column of the target's column at this place, from 0. There are 16. */
export const stagedColumn = (at: number): string => `c${at + 1}`;

/** The settings of a profile that change what a target does. */
export interface ImportOptions {
  /** `full`: the file states what is; `delta`: it states changes. */
  mode: 'full' | 'delta';
  absent: 'keep' | 'zero';
  quantityBasis: 'physical' | 'available';
  /** The moment of which the file states the stock; null: now. */
  asOf: string | null;
}

/** Rows that are merged in one transaction; bookings at the same places wait for it. They are compared in multiples of it. */
export const chunkRows = 20_000;

/** Rows of a job that are merged in one transaction: those with a number above `after`, up to `upTo`. */
export interface ImportChunk {
  tenantId: string;
  jobId: number;
  after: number;
  upTo: number;
  options: ImportOptions;
}

export interface MergedChunk extends ImportChunk {
  /** True if somebody subscribed to its events when it began. If not, it stores only what a later subscriber needs. */
  hasSubscribers: boolean;
}

/** A row that the merge refuses. */
export interface RefusedRow {
  n: number;
  /** The field that is at fault; null where it is the row. */
  field: string | null;
  reason: string;
}

/** The result of surveying a chunk: how many of its rows change something. */
export interface SurveyedChunk {
  /** Rows that were not rejected as they were read. */
  accepted: number;
  unchanged: number;
  /** The numbers of rows that seem to change something, as the text of an array of SQL; null for none, `all` for those accepted. */
  due: string | null;
  /** How many of those name a record that is not there yet. */
  fresh: number;
}

/** Records as text, for rows to be compared with. */
export interface StoredRecords {
  /**
   * Selects records without conditions on the tenant, which row-level security adds: the columns of the target in their order, each as the
   * cell of a row that states it; numbers of the key have no zeros at their end. A record whose rows may be refused, whatever their values,
   * is left out.
   */
  sql: string;
  values: readonly {
    name: string;
    /** True if rows that only differ in it are never refused. */
    mayDiffer?: boolean;
    /** True if a row without a value leaves it unchanged. */
    mayLack?: boolean;
  }[];
}

export interface Merged {
  /** Rows that changed something. All others that are not refused changed nothing. */
  written: number;
  refused: RefusedRow[];
}

/** Events that a merge leaves as one row for many records, by `insertEventSetSql`; they are handed out after it has committed. */
export interface EventSet {
  topic: Topic;
  /**
   * Selects `data` and `at` of the events, in their order, as causeway_system: $1 is the tenant, and the table `given` has one row with the
   * set's data as `given`.
   */
  eventsSql: string;
}

/**
 * Records that files can be imported into. A noun declares one in its slice (`x.targets.ts`), and the domain's manifest lists it. The
 * merges write what the noun's use cases write: records, events, movements.
 */
export interface ImportTarget {
  /** Its name in profiles: `stock`. */
  name: string;
  columns: (options: Pick<ImportOptions, 'mode'>) => readonly ImportColumn[];
  /** The columns that tell records apart. */
  key: readonly string[];
  /** True if a file may name a record in several rows. By default the later row is rejected. */
  mayRepeat?: (options: Pick<ImportOptions, 'mode'>) => boolean;
  /** The records as their rows would state them: rows that state the same are counted as unchanged, and go no further. */
  stored?: (options: ImportOptions) => StoredRecords | undefined;
  /**
   * Compares all rows with what is there, by one statement that locks nothing, so that a million rows of which few change something cost
   * one join. Answers what it found of each `size` rows, in their order; undefined where the options rule it out.
   */
  survey?: (tx: Tx, rows: ImportChunk, size: number) => Promise<SurveyedChunk[] | undefined>;
  /** Merges a chunk, in sets. It may be repeated only where its transaction was rolled back. */
  merge: (tx: Tx, chunk: MergedChunk, surveyed?: SurveyedChunk) => Promise<Merged>;
  events?: EventSet;
  /** Done before each chunk in a transaction of its own. */
  prepare?: (tx: Tx, chunk: ImportChunk) => Promise<void>;
  /** Zeroes, in parts, what no row names, from after the place `after`; answers the last place of the part, null at the end. */
  zeroAbsent?: (tx: Tx, job: Omit<ImportChunk, 'after' | 'upTo'>, after: string | null) => Promise<string | null>;
}

/** How many rows a survey found that seem to change something. */
export function manyDue({ due, accepted }: Pick<SurveyedChunk, 'due' | 'accepted'>): number {
  if (due === null) return 0;
  return due === 'all' ? accepted : due.split(',').length;
}

/** The chunks of `size` rows that a survey found, with those of which it found nothing; each says which it is, from 0. */
export function inChunks(
  { after, upTo }: ImportChunk,
  size: number,
  found: readonly (SurveyedChunk & { chunk: number })[],
): SurveyedChunk[] {
  const none: SurveyedChunk = { accepted: 0, unchanged: 0, due: null, fresh: 0 };
  const chunks = Array.from({ length: Math.ceil((upTo - after) / size) }, () => none);
  for (const { chunk, ...each } of found) chunks[chunk] = each;
  return chunks;
}

/** The statement that stores a set of events; `data` is SQL of one row of `source`, and the tenant is $1. */
export const insertEventSetSql = (target: string, { data, source }: { data: string; source: string }): string =>
  `INSERT INTO import_event_sets (tenant_id, target, data) SELECT $1, '${target}', ${data} FROM ${source} HAVING count(*) > 0`;

/**
 * The good rows of a chunk as a table expression with the columns `n`, `line` and those given, of the statement's parameters
 * $1 tenant, $2 job, $3 after and $4 up to.
 */
export const chunkRowsSql = (columns: Record<string, string>): string => {
  const values = Object.entries(columns).map(([name, sql]) => `${sql} AS ${name}`);
  return `(SELECT n, line, ${values.join(', ')} FROM import_rows
    WHERE tenant_id = $1 AND job_id = $2 AND n > $3 AND n <= $4 AND NOT faulty)`;
};

/** The parameters of `chunkRowsSql`. */
export const chunkValues = ({ tenantId, jobId, after, upTo }: ImportChunk): unknown[] => [tenantId, jobId, after, upTo];
