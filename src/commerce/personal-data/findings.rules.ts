import type { Part } from './redaction.rules.ts';
import type { SearchedTable } from './searched-tables.rules.ts';

/** A row that may name the person; its columns as text. */
export interface FoundRow {
  key: string[];
  columns: Record<string, string | null>;
  /** True for what the person's contacts and orders caused. */
  isOwn: boolean;
  /** Why it is not erased yet. */
  waits: string | null;
}

/** What one column of a row says about a person. */
export interface Finding {
  column: string;
  parts: Part[];
  /** The column without it; null where it is kept, and `reason` says why. */
  erasedTo: string | null;
  reason?: string;
}

export interface FindingsOfRow extends FoundRow {
  table: SearchedTable;
  findings: Finding[];
}
