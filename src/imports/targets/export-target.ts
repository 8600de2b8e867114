import type { Cell } from './cells.ts';
import type { ImportOptions } from './target.ts';

/** A column of an export. */
export interface ExportColumn {
  /** Its name in profiles and files: `quantity_from`. */
  name: string;
  cell: Pick<Cell, 'type' | 'read'>;
  /** The value, in the database's type, of a row of the target. */
  sql: string;
}

/**
 * Records that can be exported to files. A noun declares one in its slice (`x.targets.ts`) beside its import target, and the domain's
 * manifest lists it.
 */
export interface ExportTarget {
  /** Its name in profiles: `stock`. */
  name: string;
  columns: (options: Pick<ImportOptions, 'quantityBasis'>) => readonly ExportColumn[];
  /** Tables with their aliases and joins. Row-level security leaves the rows of one tenant. */
  from: string;
  where?: string;
  /** The key that rows are ordered by, so that equal data makes equal files. */
  orderBy: string;
  /** The instant that `updated_since` is compared with. */
  updatedAt?: string;
}

/** Columns of an import target with where their values are read from. */
export const exported = (
  columns: readonly { name: string; cell: Cell }[],
  sql: Readonly<Record<string, string>>,
): ExportColumn[] =>
  columns.map(({ name, cell }) => {
    const value = sql[name];
    if (value === undefined) throw new Error(`The export has no value for the column ${name}.`);
    return { name, cell, sql: value };
  });
