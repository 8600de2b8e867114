import { CsvError, type Parser, parse } from 'csv-parse';
import { FileFault, type FileRecord, type Read } from '#src/imports/formats/records/records.ts';
import { delimiters, findHeader, placesIn } from '#src/imports/formats/tables/find-header.ts';
import { textAt } from '#src/imports/formats/tables/header.ts';
import { decode } from '#src/imports/formats/text/decode.ts';
import { charactersOf } from '#src/imports/formats/text/encodings.ts';
import { refuseUtf8 } from '#src/imports/formats/text/single-byte.ts';
import { createPlainCsv, type PlainRows, type RowPass } from './csv-plain.ts';
import { spansOf } from './csv-spans.ts';
import { skipFirstLines } from './first-lines.ts';

/** Bytes of one record, at most. */
const maxRecordBytes = 1024 * 1024;

/** CSV, read row by row. The line of a record is where it begins. */
export const readCsv: Read = async function* (bytes, reading) {
  const { wanted, quote, header, encoding, skipUnchanged } = reading;
  const text = decode(charactersOf(encoding) === undefined ? bytes : refuseUtf8(bytes, encoding), encoding);
  const first = await skipFirstLines(text, reading.skipLines);
  const delimiter = first.delimiter ?? reading.delimiter;
  const search = findHeader(wanted, delimiter);
  const plain = createPlainCsv({ maxRowBytes: maxRecordBytes, quote });
  let parser: Parser | undefined;
  let places: number[] | undefined;
  /** The number of the first record among the rows. */
  const firstRow = header ? 0 : 1;
  let columns = 0;
  let records = 0;
  /** Lines that begin no record: those before the header, empty ones, and line breaks inside of quotes. */
  let otherLines = first.lines;
  let batch: FileRecord[] = [];
  let passing: RowPass | undefined;

  const take = (cells: string[], line: number): void => {
    records += 1;
    if (!places) {
      places = header ? search.look(cells, line) : placesIn(cells, wanted, delimiter);
      columns = cells.length;
      if (header || !places) return;
    }
    const record: FileRecord = { line, cells: places.map((place) => textAt(cells, place)) };
    if (cells.length !== columns)
      record.fault = `The row has ${cells.length} cells and the ${header ? 'header' : 'first row'} has ${columns}.`;
    batch.push(record);
  };
  const takePlain = ({ rows, parsed }: PlainRows): Buffer | undefined => {
    for (const row of rows) {
      if (typeof row !== 'string') {
        records += 1;
        batch.push(row);
      } else if (row === '') otherLines += 1;
      else take(row.split(delimiter), 1 + records + otherLines);
    }
    return parsed;
  };
  const passOf = (lineBreak: string): RowPass | undefined => {
    if (passing || !skipUnchanged || !places) return passing;
    const spans = spansOf({ places, columns, delimiter, lineEnd: lineBreak.charCodeAt(0) });
    passing = spans && {
      pass: spans.pass,
      take(row, { rows, empty }) {
        const found = spans.wanted();
        // The header is a record as well, where there is one.
        return found && skipUnchanged(row, found, 1 + records + otherLines + rows, records + rows - empty + firstRow);
      },
    };
    return passing;
  };
  const startParser = (): Parser => {
    const emptyBefore = otherLines;
    let broken = 0;
    const lineBreak = plain.lineBreak();
    const started = parse({
      delimiter,
      quote: quote === '' ? null : quote,
      escape: quote === '' ? null : quote,
      ...(lineBreak !== undefined && { record_delimiter: lineBreak }),
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: maxRecordBytes,
      on_record(cells: string[], { empty_lines: empty }) {
        otherLines = emptyBefore + empty + broken;
        take(cells, 1 + records + otherLines);
        for (const cell of cells) broken += breaksIn(cell);
        otherLines = emptyBefore + empty + broken;
        return null;
      },
    });
    started.on('error', () => undefined);
    started.resume();
    return started;
  };
  const read = async (chunk: Buffer | null): Promise<void> => {
    const left = parser ? chunk : takePlain(chunk ? plain.split(chunk, passOf) : plain.end());
    if (!parser && left === undefined) return;
    parser ??= startParser();
    if (left) await put(parser, left);
    if (!chunk) await put(parser, null);
  };
  const taken = (): FileRecord[] => {
    const full = batch;
    batch = [];
    return full;
  };
  try {
    for await (const chunk of first.rest) {
      await read(chunk);
      if (batch.length > 0) yield taken();
    }
    await read(null);
  } catch (error) {
    throw error instanceof CsvError ? (search.fault() ?? explained(error, 1 + records + otherLines)) : error;
  } finally {
    parser?.destroy();
  }
  if (!places && header)
    throw search.fault() ?? new FileFault('The file has no header. Its first line must name the columns.');
  if (batch.length > 0) yield taken();
};

const put = (parser: Parser, chunk: Buffer | null): Promise<void> =>
  new Promise((resolve, reject) => {
    parser.once('error', reject);
    const done = (error?: Error | null) => {
      parser.off('error', reject);
      if (error) reject(error);
      else resolve();
    };
    if (chunk) parser.write(chunk, done);
    else parser.end(done);
  });

/** Line breaks of Unix, Windows or old Macs. */
function breaksIn(cell: string): number {
  if (!cell.includes('\n') && !cell.includes('\r')) return 0;
  return cell.split(/\r\n|\n|\r/).length - 1;
}

function explained({ code, message }: CsvError, line: number): FileFault {
  const at = `in the row that begins in line ${line}`;
  if (code === 'CSV_QUOTE_NOT_CLOSED') return new FileFault(`A quote is not closed ${at}: the file may be cut short.`);
  if (code === 'CSV_MAX_RECORD_SIZE')
    return new FileFault(`More than ${maxRecordBytes} bytes are one row ${at}: a quote may not be closed.`);
  const [, follower] = code === 'CSV_INVALID_CLOSING_QUOTE' ? (/got "(.)"/s.exec(message) ?? []) : [];
  if (follower !== undefined && delimiters.includes(follower))
    return new FileFault(
      `A quote is followed by ${JSON.stringify(follower)} and not by the delimiter ${at}. If that separates the cells, set "delimiter" to it in the profile.`,
    );
  return new FileFault(`The CSV cannot be read ${at}: ${message}`);
}
