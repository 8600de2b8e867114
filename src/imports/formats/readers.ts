import { readCsv } from './csv.ts';
import type { Read } from './records.ts';

/** How files of each format are read. */
export const readers: Record<string, Read> = { csv: readCsv };
