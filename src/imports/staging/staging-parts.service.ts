import type { TakenJob } from '#src/imports/bulk-jobs/bulk-jobs.store.ts';
import { createStagedText, type StagedText } from '#src/imports/comparing/staged-text.ts';
import type { RowFault } from '#src/imports/profiles/row-reader.rules.ts';
import type { ImportColumn } from '#src/imports/targets/target.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { markRow } from './staging.store.ts';

/** Rows that are copied in one transaction, or fewer where they are long: they are in memory until then. */
const stagedRows = 10_000;
const stagedLength = 8 * 1024 * 1024;

export interface FaultyRow {
  line: number;
  faults: readonly RowFault[];
}

/** The rows of a file that one transaction stages. */
export interface Part {
  rows: Buffer;
  /** The rejected ones among them. */
  faulty: readonly FaultyRow[];
  /** Rows of the file in it, and how many of them are not staged. */
  read: number;
  unchanged: number;
  progress: number;
}

/** Rows on their way to the staging table: each part is kept in a transaction, and the next is made meanwhile. */
export interface StagingParts {
  text: StagedText;
  faulty: FaultyRow[];
  unchanged: number;
  isFull: () => boolean;
  /** Keeps what was made, which ends with the row of this number. */
  keep: (made: { upTo: number; isLastStaged: boolean; progress: number }) => Promise<void>;
  ended: () => Promise<void>;
}

/** Parts from after the row of the number `from`. */
export function createStagingParts(
  database: Pick<Database, 'withTenant'>,
  { id, tenantId }: Pick<TakenJob, 'id' | 'tenantId'>,
  {
    columns,
    from,
    keep,
  }: { columns: readonly ImportColumn[]; from: number; keep: (tx: Tx, part: Part) => Promise<void> },
): StagingParts {
  const text = createStagedText(id);
  let kept = from;
  let keeping: Promise<void> = Promise.resolve();
  const parts: StagingParts = {
    text,
    faulty: [],
    unchanged: 0,
    isFull: () => text.rows() >= stagedRows || text.length() >= stagedLength,
    async keep({ upTo, isLastStaged, progress }) {
      if (upTo === kept) return;
      if (!isLastStaged) text.addRow(...markRow(upTo, columns));
      const { faulty, unchanged } = parts;
      const part: Part = { rows: text.take(), faulty, read: upTo - kept, unchanged, progress };
      parts.faulty = [];
      parts.unchanged = 0;
      kept = upTo;
      await keeping;
      keeping = database.withTenant(tenantId, (tx) => keep(tx, part));
      // Awaited before the next part; until then, this keeps a failure from counting as unhandled.
      keeping.catch(() => undefined);
    },
    ended: () => keeping,
  };
  return parts;
}
