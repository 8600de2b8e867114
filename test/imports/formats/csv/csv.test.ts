import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readCsv } from '#src/imports/formats/csv/csv.ts';
import { type FileRecord, type SkipUnchanged, skippedRecord } from '#src/imports/formats/records/records.ts';
import { measureCpuTime } from '#test/setup/cpu-time.ts';

async function read(chunks: Buffer[], delimiter = ',', skipUnchanged?: SkipUnchanged): Promise<FileRecord[]> {
  const records: FileRecord[] = [];
  const text = { delimiter, quote: '"', header: true, skipLines: 0, encoding: 'utf-8', decimalSeparator: '.' };
  const reading = { ...text, recordPath: null, sheet: null };
  const wanted = ['a', 'b'].map((name) => ({ name, required: true }));
  for await (const batch of readCsv(of(chunks), { ...reading, wanted, skipUnchanged })) records.push(...batch);
  return records;
}

async function* of(chunks: Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks;
}

const plain = fc.string({ unit: fc.constantFrom('x', 'ö', '😀', ' ', "'", '=', '0'), maxLength: 6 });
const quoted = fc
  .string({ unit: fc.constantFrom('x', ',', '\n', '\r\n', '"', 'ß'), maxLength: 6 })
  .map((text) => `"${text.replaceAll('"', '""')}"`);
const row = fc
  .array(fc.oneof({ weight: 20, arbitrary: plain }, { weight: 1, arbitrary: quoted }), { minLength: 1, maxLength: 3 })
  .map((cells) => cells.join(','));

test('rows are the same wherever a file is cut, and whether they are split or parsed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { maxLength: 30 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.boolean(),
      fc.array(fc.nat(400), { maxLength: 8 }),
      async (rows, lineBreak, isClosed, cuts) => {
        const text = ['a,b', ...rows].join(lineBreak) + (isClosed ? lineBreak : '');
        const bytes = Buffer.from(text);
        const at = [0, ...cuts.filter((cut) => cut < bytes.length).toSorted((one, two) => one - two), bytes.length];
        const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
        const parsed = parse(text, { relax_column_count: true, skip_empty_lines: true, record_delimiter: lineBreak });
        const found = await read(chunks);
        expect(found.map(({ fault }) => fault === undefined)).toEqual(
          parsed.slice(1).map((cells: string[]) => cells.length === 2),
        );
        const texts = parsed.slice(1).map(([a, b]: string[]) => [a, b].map(withoutGuard));
        expect(found.map(({ cells }) => cells)).toEqual(texts);
      },
    ),
    { numRuns: 300 },
  );
});

test('skipUnchanged gets the cells that a row is read with, and other rows are read as without it', async () => {
  const stray = fc.constantFrom('', '', '', '\n', '\r', '\r\n');
  const odd = fc.tuple(row, stray).map(([text, more]) => (text.includes('"') ? text : `${text}${more}`));
  await fc.assert(
    fc.asyncProperty(
      fc.array(odd, { maxLength: 30 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.array(fc.nat(400), { maxLength: 8 }),
      fc.integer({ min: 1, max: 3 }),
      async (rows, lineBreak, cuts, every) => {
        // The header would end in the line break of Windows, and a quote after an old Mac's would stand within a cell.
        fc.pre(!(lineBreak === '\r' && rows[0]?.startsWith('\n')));
        const bytes = Buffer.from(['a,b', ...rows].join(lineBreak));
        const at = [0, ...cuts.filter((cut) => cut < bytes.length).toSorted((one, two) => one - two), bytes.length];
        const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
        const shown = new Map<number, string[]>();
        const numbers: number[] = [];
        const found = await read(chunks, ',', (own, spans, line, n) => {
          if (line % every !== 0) return undefined;
          const readCell = (place: number): string =>
            Buffer.from(own.subarray(spans[2 * place], spans[2 * place + 1])).toString();
          shown.set(line, [withoutGuard(readCell(0)) ?? '', withoutGuard(readCell(1)) ?? '']);
          numbers.push(n);
          return skippedRecord;
        });
        const plainly = await read(chunks);
        expect(found.map((record, place) => (record === skippedRecord ? plainly[place] : record))).toEqual(plainly);
        const passed = plainly.filter((_, place) => found[place] === skippedRecord);
        expect(passed.map(({ line, cells }) => [line, cells])).toEqual([...shown]);
        expect(numbers).toEqual(found.flatMap((record, place) => (record === skippedRecord ? [place + 1] : [])));
      },
    ),
    { numRuns: 300 },
  );
});

const withoutGuard = (text?: string): string | undefined =>
  text !== undefined && /^'+[=+\-@\t\r]/.test(text) ? text.slice(1) : text;

test('a record has the number of the line in which it begins, before and after the first quote', async () => {
  const text = 'a,b\n\nx,1\n\ny,"two\nlines"\n\nz,3\n';
  const found = await read([Buffer.from(text)]);
  expect(found.map(({ line, cells }) => [line, cells[0]])).toEqual([
    [3, 'x'],
    [5, 'y'],
    [8, 'z'],
  ]);
});

test('a header of a hundred thousand columns is read', async () => {
  const names = Array.from({ length: 100_000 }, (_, at) => `c${at}`);
  const header = Buffer.from(`${names.join(',')}\n`);
  const cost = await measureCpuTime(() => expect(read([header])).rejects.toThrow('The header lacks "a", "b"'));
  // A search through the columns before each one takes minutes.
  expect(cost).toBeLessThan(10_000);
});
