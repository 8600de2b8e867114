import type { AppError } from './errors.ts';

/** An item of a batch that a use case refuses, as it would alone. */
export interface RefusedItem {
  id: number;
  error: AppError;
}

/** The outcome of a use case for many items in one transaction. Each item is in one of the lists. */
export interface BatchOutcome {
  done: number[];
  refused: RefusedItem[];
  /** Items that another transaction has locked, or that do not fit into this one. The caller tries them again later. */
  deferred: number[];
}

/** The items that `faultOf` does not refuse, and the refused ones. */
export function divide<Row extends { id: number }>(
  rows: readonly Row[],
  faultOf: (row: Row) => AppError | null,
): { accepted: Row[]; refused: RefusedItem[] } {
  const accepted: Row[] = [];
  const refused: RefusedItem[] = [];
  for (const row of rows) {
    const error = faultOf(row);
    if (error) refused.push({ id: row.id, error });
    else accepted.push(row);
  }
  return { accepted, refused };
}
