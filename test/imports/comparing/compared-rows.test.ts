import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ComparedRows } from '#src/imports/comparing/compared-rows.ts';
import { plainNumber } from '#src/imports/comparing/key-filter.ts';
import { createOffsetTable } from '#src/imports/comparing/offset-table.ts';
import { createStagedText } from '#src/imports/comparing/staged-text.ts';
import { plainProfile } from '#src/imports/exports/exports.inputs.ts';
import { findSpans } from '#src/imports/formats/csv/csv-spans.ts';
import { createRowReader, type ReadRow } from '#src/imports/profiles/row-reader.rules.ts';
import { decimalCell, textCell } from '#src/imports/targets/cells.ts';
import type { ImportTarget } from '#src/imports/targets/target.ts';

const target: ImportTarget = {
  name: 'things',
  columns: () => [
    { name: 'sku', cell: textCell({ max: 5 }), required: true },
    { name: 'from', cell: decimalCell(), byDefault: '1' },
    { name: 'amount', cell: decimalCell({ sign: 'positive' }), required: true },
    { name: 'until', cell: textCell({ max: 3 }) },
  ],
  key: ['sku', 'from'],
  merge: () => Promise.reject(new Error('Nothing is merged here.')),
};
const reader = createRowReader(target, plainProfile);
const values = [{ name: 'amount', mayDiffer: true }, { name: 'until' }];
type Cells = [string, string, string, string | null];

/** As COPY writes records. */
const copied = (records: readonly (readonly (string | null)[])[]): Buffer => {
  const text = createStagedText(0);
  for (const cells of records) text.addRow({ n: 0, line: 0, isFaulty: false }, cells);
  return Buffer.from(String(text.take()).replaceAll(/^0\t0\t0\tf\t/gm, ''));
};

const compared = ({ maxBytes = 64 * 1024 } = {}): ComparedRows =>
  new ComparedRows(reader, { key: target.key, stored: { sql: '', values }, maxBytes });

/** Gives rows of a file, by their bytes where they are taken, and answers them as they are read. */
function give(rows: ComparedRows, texts: readonly string[], everyRead = Number.MAX_SAFE_INTEGER): ReadRow[] {
  const spans = findSpans({ places: [0, 1, 2, 3], columns: 4, delimiter: ',', lineEnd: 0x0a });
  return texts.map((text, at) => {
    const [line, n] = [at + 2, at + 1];
    const bytes = Buffer.from(`${text}\n`);
    spans?.pass(bytes, 0);
    const found = spans?.wanted();
    const read = reader.read({ line, cells: text.split(',').map((cell) => cell.replace(/^'(?=[=+@-])/, '')) });
    if (n % everyRead === 0 || !found || !rows.skipUnchanged?.(bytes, found, line, n))
      expect(rows.add(read, n)).toBe(true);
    if (n % 7 === 0) rows.endBatch(n);
    return read;
  });
}

/** The numbers of the rows that are staged, with their cells. */
function stagedBy(rows: ComparedRows) {
  const text = createStagedText(7);
  const staged = Array.from({ length: rows.batches() }, (_, batch) => rows.stage(batch, text));
  const lines = String(text.take()).split('\n').slice(0, -1);
  const found = lines
    .map((line) => line.split('\t'))
    .map(([, n, line, faulty, ...cells]) => ({ n, line, faulty, cells }));
  return { staged, found: new Map(found.map((each) => [Number(each.n), each])) };
}

const cell = fc.string({ unit: fc.constantFrom('a', 'ä', '=', "'", '\\', 't', '\t', ' ', 'N', '0'), maxLength: 4 });
const number = fc.constantFrom('1', '2', '10', '0.5', '0');
const written = fc.constantFrom(
  '',
  '1',
  '1.0',
  '01',
  '1.50',
  '10',
  '0.50',
  '00',
  '1.',
  '.5',
  '1.00000',
  '-1',
  '1 ',
  'x',
);
// Records have what their columns take.
const until = cell.map((text) => text.slice(0, 3));
const amount = number.filter((text) => text !== '0');
const record = fc.tuple(cell, number, amount, fc.option(until, { freq: 2 })) satisfies fc.Arbitrary<Cells>;
const arbitraryRow = fc.tuple(
  fc.oneof(cell, fc.constantFrom('a', 'b')),
  written,
  written,
  fc.oneof(cell, fc.constant('')),
);
const plain = (text: string | null | undefined, at: number): string | null =>
  text === null || text === undefined ? null : at === 1 || at === 2 ? plainNumber(text) : text;
const rowKey = (cells: readonly (string | null)[]): string => JSON.stringify([plain(cells[0], 0), plain(cells[1], 1)]);

test('a row is left out only if its record is the same, and all others are staged as they are read', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(record, { selector: rowKey, maxLength: 20 }),
      fc.array(arbitraryRow, { maxLength: 30 }),
      fc.integer({ min: 1, max: 4 }),
      fc.nat({ max: 200 }),
      (records, others, everyRead, cut) => {
        const rows = compared();
        const own = records.slice(1).map((cells) => cells.map((each) => each ?? '').join(','));
        const read = give(rows, [...own, ...others.map((cells) => cells.join(','))], everyRead);
        rows.endBatch(read.length);
        const bytes = copied(records);
        rows.compare(bytes.subarray(0, cut));
        rows.compare(bytes.subarray(cut));
        const { staged, found } = stagedBy(rows);
        const sum = staged.reduce((all, { unchanged }) => all + unchanged, 0);
        expect(sum + found.size).toBe(read.length);
        let mayRepeat = false;
        const seen = new Set<string>();
        let isKnown = true;
        let accepted = 0;
        for (const [at, { cells, faults, line }] of read.entries()) {
          const known = records.find((each) => rowKey(each) === rowKey(cells));
          const isRepeated = cells[0] !== null && seen.has(rowKey(cells));
          if (cells[0] !== null) seen.add(rowKey(cells));
          mayRepeat ||= isRepeated;
          const one = found.get(at + 1);
          if (!one) {
            expect(faults).toEqual([]);
            expect(isRepeated).toBe(false);
            expect(known?.map(plain)).toEqual(cells.map(plain));
            continue;
          }
          expect(one).toMatchObject({ line: String(line), faulty: faults.length > 0 ? 't' : 'f' });
          const copiedCells = String(copied([cells]))
            .slice(0, -1)
            .split('\t');
          expect(one.cells.map(plain)).toEqual(copiedCells.map(plain));
          if (faults.length > 0) continue;
          accepted += 1;
          isKnown &&= known !== undefined && known[3] === cells[3];
        }
        if (mayRepeat) expect(rows.hasRepeated()).toBe(true);
        else if (rows.chunks()[0]) {
          expect(isKnown).toBe(true);
          expect(rows.chunks()).toEqual([{ accepted, unchanged: 0, due: accepted > 0 ? 'all' : null, fresh: 0 }]);
        }
        const last = staged.at(-1);
        if (last) expect(last).toMatchObject({ upTo: read.length, isLastStaged: found.has(read.length) });
        const faulty = staged.flatMap((batch) => batch.faulty).map(({ line, faults }) => ({ line, faults }));
        expect(faulty).toEqual(
          read.filter(({ faults }) => faults.length > 0).map(({ line, faults }) => ({ line, faults })),
        );
      },
    ),
  );
});

test('plain rows are recognised as unchanged, in any order and however their numbers are written', () => {
  const rows = compared();
  give(rows, ['A,1,5,', 'B,01.0,5.00,x', 'C,2.50,7,', 'D,1,1,', 'E,1,1,']);
  rows.endBatch(5);
  rows.compare(
    copied([
      ['C', '2.5', '7', null],
      ['A', '1', '5', null],
      ['B', '1', '5', 'x'],
      ['D', '1', '2', null],
    ]),
  );
  const { staged, found } = stagedBy(rows);
  expect(staged).toEqual([{ upTo: 5, isLastStaged: true, unchanged: 3, faulty: [] }]);
  expect([...found.keys()]).toEqual([4, 5]);
  expect(rows.chunks()).toEqual([undefined]);
});

test('a row is staged if a later row has the same key', () => {
  const rows = compared();
  give(rows, ['A,1,5,', 'B,1,5,', 'A,1.0,6,']);
  rows.endBatch(3);
  rows.compare(
    copied([
      ['A', '1', '5', null],
      ['B', '1', '5', null],
    ]),
  );
  expect(rows.hasRepeated()).toBe(true);
  expect([...stagedBy(rows).found.keys()]).toEqual([1, 3]);
});

test('two rows of one key are staged even if their record is the expected one', () => {
  const rows = compared();
  give(rows, ['A,1,5,', 'B,1,5,', 'A,1,5,']);
  rows.endBatch(3);
  rows.compare(
    copied([
      ['B', '1', '5', null],
      ['A', '1', '5', null],
    ]),
  );
  expect([...stagedBy(rows).found.keys()]).toEqual([1, 3]);
});

test('the buffer refuses rows beyond its room, and too many rows of one hash', () => {
  const rows = compared({ maxBytes: 50 });
  const read = (n: number): boolean => rows.add(reader.read({ line: n, cells: [`S${n}`, '1', '1', ''] }), n);
  expect([1, 2, 3, 4].map(read)).toEqual([true, true, false, false]);
  const table = createOffsetTable(5_000);
  for (let offset = 1; offset <= 1_000; offset += 1) {
    expect(table.find(1, (other) => other === offset)).toBe(0);
    table.add(offset);
  }
  expect(table.find(1, () => false)).toBe(-1);
});

test('staged text is taken with row numbers while the text taken before is sent', () => {
  const changes = createStagedText(1_234_567);
  const cells = Buffer.from(`${'x'.repeat(50_000)}\n`);
  const add = (n: number): void => {
    changes.addCopied({ n, line: n + 9, isFaulty: false }, cells, cells.length - n - 1, cells.length);
  };
  const makeText = (n: number): string => `1234567\t${n}\t${n + 9}\tf\t${'x'.repeat(n)}\n`;
  for (const n of [1, 40_000, 50_000]) add(n);
  expect(changes.rows()).toBe(3);
  const first = changes.take();
  add(100);
  expect(String(first)).toBe([1, 40_000, 50_000].map(makeText).join(''));
  expect([changes.rows(), String(changes.take()), changes.rows()]).toEqual([1, makeText(100), 0]);
});

test("rows that were read are written in COPY's text format", () => {
  const changes = createStagedText(7);
  changes.addRow({ n: 1, line: 2, isFaulty: false }, ['A', null, 'x\\y\tz\n\r', 'Größe 😀', '']);
  changes.addRow({ n: -1_000_001, line: 0, isFaulty: true }, ['x'.repeat(70_000)]);
  expect(String(changes.take())).toBe(
    `7\t1\t2\tf\tA\t\\N\tx\\\\y\\tz\\n\\r\tGröße 😀\t\n7\t-1000001\t0\tt\t${'x'.repeat(70_000)}\n`,
  );
});
