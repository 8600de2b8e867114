import { parse } from 'csv-parse/sync';
import { isZip } from './archives/open-file.ts';
import { delimiters } from './tables/find-header.ts';
import { decodeText, guessEncoding } from './text/encodings.ts';
import { declaredEncoding } from './xml/xml-encoding.ts';

/** The format that a file seems to have, by its beginning. */
export interface Detected {
  format: 'csv' | 'json' | 'ndjson' | 'xml' | 'xlsx';
  delimiter: string;
  encoding: string;
  decimalSeparator: string;
  /** True if the first row of CSV names the columns. */
  header: boolean;
  /** Lines before the header. */
  skipLines: number;
  /** The names in the header of CSV or in the first record of NDJSON; numbers if there is no header. */
  columns: string[];
}

const plain = { delimiter: ',', encoding: 'utf-8', decimalSeparator: '.', header: true, skipLines: 0, columns: [] };
/** Lines that are looked at. */
const maxLines = 50;
/** Rows of titles before a header, at most. */
const maxTitles = 20;

/** Detects from the first bytes of a file, unpacked; `isWhole`: they are all that it has. */
export function detect(head: Buffer, { isWhole }: { isWhole: boolean }): Detected {
  if (isZip(head)) return { ...plain, format: 'xlsx' };
  const encoding = guessEncoding(head);
  const whole = decodeText(head, encoding);
  const text = whole.trimStart();
  // XML that declares its encoding is read by that, whatever its bytes look like.
  const isDeclared = declaredEncoding(head).declared !== undefined;
  if (text.startsWith('<')) return { ...plain, format: 'xml', encoding: isDeclared ? 'utf-8' : encoding };
  if (text.startsWith('[')) return { ...plain, format: 'json' };
  if (text.startsWith('{')) {
    const record = parseRecord(text.split('\n')[0] ?? '');
    return record ? { ...plain, format: 'ndjson', columns: Object.keys(record) } : { ...plain, format: 'json' };
  }
  // The last line may be cut.
  const lines = whole
    .split(/\r\n|\n|\r/)
    .slice(0, isWhole ? maxLines : -1)
    .slice(0, maxLines)
    .join('\n');
  return { ...detectCsv(lines), format: 'csv', encoding };
}

function parseRecord(line: string): object | undefined {
  try {
    return JSON.parse(line) as object;
  } catch {
    return undefined;
  }
}

/** The delimiter by which most lines have as many cells as the header, and then that of the most columns. */
function detectCsv(
  text: string,
): Pick<Detected, 'delimiter' | 'decimalSeparator' | 'header' | 'skipLines' | 'columns'> {
  const [, stated] = /^"?sep=([\t -~])"?(?:\n|$)/i.exec(text) ?? [];
  const read = (stated === undefined ? delimiters : [stated]).map((delimiter) => {
    const all = parseRows(text, delimiter).slice(stated === undefined ? 0 : 1);
    const rows = all.slice(titlesBefore(all.map(({ cells }) => cells.length)));
    const columns = rows[0]?.cells ?? [];
    const alike = rows.filter(({ cells }) => cells.length === columns.length).length;
    return { delimiter, rows, columns, share: columns.length > 1 ? alike / all.length : 0 };
  });
  const [best] = read.toSorted((a, b) => b.share - a.share || b.columns.length - a.columns.length);
  const [first, ...rows] = best?.rows ?? [];
  const cells = rows.flatMap((row) => row.cells);
  const commas = cells.filter((cell) => /^-?\d+,\d+$/.test(cell.trim())).length;
  const points = cells.filter((cell) => /^-?\d+\.\d+$/.test(cell.trim())).length;
  const names = (first?.cells ?? []).map((name) => name.trim());
  const header = isHeader(
    names,
    rows.map((row) => row.cells),
  );
  return {
    delimiter: best?.delimiter ?? ',',
    decimalSeparator: commas > points ? ',' : '.',
    header,
    skipLines: (first?.line ?? 1) - 1,
    columns: header ? names : names.map((_, at) => String(at + 1)),
  };
}

/** How many of the first rows are titles: they have fewer cells than those after them, which are alike. */
function titlesBefore(lengths: readonly number[]): number {
  const at = lengths.findIndex((length, row) => length > 1 && length === lengths[row + 1]);
  return at > 0 && at <= maxTitles && lengths.slice(0, at).every((length) => length < (lengths[at] as number)) ? at : 0;
}

/** Names are no numbers or dates, and no row below has one of them in its column. */
const isHeader = (names: readonly string[], rows: readonly (readonly string[])[]): boolean =>
  names.some((name) => name !== '') &&
  !names.some((name) => /^[-+]?\d[\d.,:/ -]*$/.test(name)) &&
  !rows.some((row) => names.some((name, at) => name !== '' && row[at]?.trim() === name));

interface Row {
  /** Where it begins, from 1. */
  line: number;
  cells: string[];
}

function parseRows(text: string, delimiter: string): Row[] {
  const options = { delimiter, relax_column_count: true, relax_quotes: true, skip_empty_lines: true, info: true };
  try {
    const parsed = parse(text, options) as unknown as { record: string[]; info: { lines: number } }[];
    // The library says in which line a row ends.
    return parsed.map(({ record, info }) => ({
      line: info.lines - record.reduce((sum, cell) => sum + cell.split('\n').length - 1, 0),
      cells: record,
    }));
  } catch {
    return [];
  }
}
