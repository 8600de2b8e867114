import { CsvError, type Parser, parse } from 'csv-parse';
import { FileFault, type FileRecord, type Read, type Reading } from '#src/imports/formats/records/records.ts';
import { delimiters, findHeader, type HeaderSearch, placesIn } from '#src/imports/formats/tables/find-header.ts';
import { textAt } from '#src/imports/formats/tables/header.ts';
import { decode } from '#src/imports/formats/text/decode.ts';
import { findCharacters } from '#src/imports/formats/text/encodings.ts';
import { refuseUtf8 } from '#src/imports/formats/text/single-byte.ts';
import { createPlainCsv, type PlainCsv, type PlainRows, type RowPass } from './csv-plain.ts';
import { findSpans } from './csv-spans.ts';
import { skipFirstLines } from './first-lines.ts';

/** Bytes of one record, at most. */
const maxRecordBytes = 1024 * 1024;

/** CSV, read row by row. The line of a record is where it begins. */
export const readCsv: Read = async function* (bytes, reading) {
  const { encoding } = reading;
  const text = decode(findCharacters(encoding) === undefined ? bytes : refuseUtf8(bytes, encoding), encoding);
  const first = await skipFirstLines(text, reading.skipLines);
  const records = new CsvRecords({ ...reading, delimiter: first.delimiter ?? reading.delimiter }, first.lines);
  try {
    for await (const chunk of first.rest) {
      await records.write(chunk);
      if (records.batch.length > 0) yield records.take();
    }
    await records.end();
  } finally {
    records.close();
  }
  if (records.batch.length > 0) yield records.take();
};

/** Splits rows without quotes, and parses the others. */
class CsvRecords {
  /** The records since they were taken last. */
  batch: FileRecord[] = [];
  readonly #reading: Reading;
  readonly #search: HeaderSearch;
  readonly #plain: PlainCsv;
  #parser: Parser | undefined;
  #pass: RowPass | undefined;
  #places: number[] | undefined;
  #columns = 0;
  /** Records that were read, with the header. */
  #records = 0;
  /** Lines that begin no record: those before the header, empty ones, and line breaks inside of quotes. */
  #otherLines: number;

  constructor(reading: Reading, skippedLines: number) {
    const { wanted, delimiter, quote } = reading;
    this.#reading = reading;
    this.#search = findHeader(wanted, delimiter);
    this.#plain = createPlainCsv({ maxRowBytes: maxRecordBytes, quote });
    this.#otherLines = skippedLines;
  }

  write(chunk: Buffer): Promise<void> {
    return this.#read(chunk);
  }

  /** Throws FileFault if the file has no header. */
  async end(): Promise<void> {
    await this.#read(null);
    if (!this.#places && this.#reading.header)
      throw this.#search.fault() ?? new FileFault('The file has no header. Its first line must name the columns.');
  }

  close(): void {
    this.#parser?.destroy();
  }

  take(): FileRecord[] {
    const { batch } = this;
    this.batch = [];
    return batch;
  }

  async #read(chunk: Buffer | null): Promise<void> {
    try {
      let parsed: Buffer | null | undefined = chunk;
      if (!this.#parser) {
        parsed = this.#takePlain(
          chunk ? this.#plain.split(chunk, (lineBreak) => this.#createPass(lineBreak)) : this.#plain.end(),
        );
        if (parsed === undefined) return;
      }
      this.#parser ??= this.#startParser();
      if (parsed) await put(this.#parser, parsed);
      if (!chunk) await put(this.#parser, null);
    } catch (error) {
      throw error instanceof CsvError ? (this.#search.fault() ?? explained(error, this.#line())) : error;
    }
  }

  /** The line in which the next record begins. */
  #line(): number {
    return 1 + this.#records + this.#otherLines;
  }

  #takeRow(cells: string[], line: number): void {
    const { wanted, header, delimiter } = this.#reading;
    this.#records += 1;
    if (!this.#places) {
      this.#places = header ? this.#search.look(cells, line) : placesIn(cells, wanted, delimiter);
      this.#columns = cells.length;
      if (header || !this.#places) return;
    }
    const record: FileRecord = { line, cells: this.#places.map((place) => textAt(cells, place)) };
    if (cells.length !== this.#columns)
      record.fault = `The row has ${cells.length} cells and the ${header ? 'header' : 'first row'} has ${this.#columns}.`;
    this.batch.push(record);
  }

  /** Takes rows without quotes, and returns the bytes that have to be parsed. */
  #takePlain({ rows, parsed }: PlainRows): Buffer | undefined {
    const { delimiter } = this.#reading;
    for (const row of rows) {
      if (typeof row !== 'string') {
        this.#records += 1;
        this.batch.push(row);
      } else if (row === '') this.#otherLines += 1;
      else this.#takeRow(row.split(delimiter), this.#line());
    }
    return parsed;
  }

  #createPass(lineBreak: string): RowPass | undefined {
    const { skipUnchanged, delimiter, header } = this.#reading;
    if (this.#pass || !skipUnchanged || !this.#places) return this.#pass;
    const lineEnd = lineBreak.charCodeAt(0);
    const spans = findSpans({ places: this.#places, columns: this.#columns, delimiter, lineEnd });
    // The header is a record, but no row.
    const first = header ? 0 : 1;
    this.#pass = spans && {
      pass: spans.pass,
      take: (bytes, { rows, empty }) => {
        const found = spans.wanted();
        return found && skipUnchanged(bytes, found, this.#line() + rows, this.#records + rows - empty + first);
      },
    };
    return this.#pass;
  }

  #startParser(): Parser {
    const { delimiter, quote } = this.#reading;
    const emptyBefore = this.#otherLines;
    let broken = 0;
    const lineBreak = this.#plain.lineBreak();
    const parser = parse({
      delimiter,
      quote: quote === '' ? null : quote,
      escape: quote === '' ? null : quote,
      ...(lineBreak !== undefined && { record_delimiter: lineBreak }),
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: maxRecordBytes,
      on_record: (cells: string[], { empty_lines: empty }) => {
        this.#otherLines = emptyBefore + empty + broken;
        this.#takeRow(cells, this.#line());
        for (const cell of cells) broken += breaksIn(cell);
        this.#otherLines = emptyBefore + empty + broken;
        return null;
      },
    });
    parser.on('error', () => undefined);
    parser.resume();
    return parser;
  }
}

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
