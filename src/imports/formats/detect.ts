import { isUtf8 } from 'node:buffer';
import { parse } from 'csv-parse/sync';
import { isZip } from './open-file.ts';

/** What the beginning of a file looks like. */
export interface Detected {
  format: 'csv' | 'json' | 'ndjson' | 'xml' | 'xlsx';
  delimiter: string;
  encoding: string;
  decimalSeparator: string;
  /** Whether the first row of CSV names the columns. */
  header: boolean;
  /** As the header of CSV or the first record of NDJSON names them; by number where there is no header. */
  columns: string[];
}

const plain = { delimiter: ',', encoding: 'utf-8', decimalSeparator: '.', header: true, columns: [] };
const delimiters = [',', ';', '\t', '|'];
/** Lines that are looked at. */
const mostLines = 50;

/** Detects from the first bytes of a file, unpacked; `isWhole`: they are all that it has. */
export function detect(head: Buffer, { isWhole }: { isWhole: boolean }): Detected {
  if (isZip(head)) return { ...plain, format: 'xlsx' };
  const encoding = encodingOf(head);
  const text = new TextDecoder(encoding).decode(head).trimStart();
  if (text.startsWith('<')) return { ...plain, format: 'xml', encoding };
  if (text.startsWith('[')) return { ...plain, format: 'json' };
  if (text.startsWith('{')) {
    const record = recordOf(text.split('\n')[0] ?? '');
    return record ? { ...plain, format: 'ndjson', columns: Object.keys(record) } : { ...plain, format: 'json' };
  }
  // The last line may be cut.
  const lines = text
    .split(/\r?\n/)
    .slice(0, isWhole ? mostLines : -1)
    .slice(0, mostLines)
    .join('\n');
  return { ...csvOf(lines), format: 'csv', encoding };
}

function encodingOf(head: Buffer): string {
  const [first = 0, second = 0] = head;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (second === 0 && head.length > 1) return 'utf-16le';
  if (first === 0 && head.length > 1) return 'utf-16be';
  // The last character may be cut.
  const isUnicode = [0, 1, 2, 3].some((cut) => isUtf8(head.subarray(0, head.length - cut)));
  return isUnicode ? 'utf-8' : 'windows-1252';
}

function recordOf(line: string): object | undefined {
  try {
    return JSON.parse(line) as object;
  } catch {
    return undefined;
  }
}

/** The delimiter by which most lines have as many cells as the header, and then that of the most columns. */
function csvOf(text: string): Pick<Detected, 'delimiter' | 'decimalSeparator' | 'header' | 'columns'> {
  const read = delimiters.map((delimiter) => {
    const rows = rowsOf(text, delimiter);
    const columns = rows[0] ?? [];
    const alike = rows.filter(({ length }) => length === columns.length).length;
    return { delimiter, rows, columns, share: columns.length > 1 ? alike / rows.length : 0 };
  });
  const [best] = read.toSorted((a, b) => b.share - a.share || b.columns.length - a.columns.length);
  const cells = best?.rows.slice(1).flat() ?? [];
  const commas = cells.filter((cell) => /^-?\d+,\d+$/.test(cell.trim())).length;
  const points = cells.filter((cell) => /^-?\d+\.\d+$/.test(cell.trim())).length;
  const first = (best?.columns ?? []).map((name) => name.trim());
  const header = isHeader(first);
  return {
    delimiter: best?.delimiter ?? ',',
    decimalSeparator: commas > points ? ',' : '.',
    header,
    columns: header ? first : first.map((_, at) => String(at + 1)),
  };
}

/** Names are neither empty nor numbers or dates, and no two are alike. */
const isHeader = (cells: readonly string[]): boolean =>
  new Set(cells).size === cells.length && !cells.some((cell) => cell === '' || /^[-+]?\d[\d.,:/ -]*$/.test(cell));

function rowsOf(text: string, delimiter: string): string[][] {
  try {
    return parse(text, { delimiter, relax_column_count: true, relax_quotes: true, skip_empty_lines: true });
  } catch {
    return [];
  }
}
