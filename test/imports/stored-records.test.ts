import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainNumber } from '#src/imports/bulk-jobs/key-filter.rules.ts';
import { createStagedText } from '#src/imports/bulk-jobs/staged-text.rules.ts';
import { createRecordIndex } from '#src/imports/bulk-jobs/stored-records.rules.ts';
import { spansOf } from '#src/imports/formats/csv-spans.ts';
import { withoutApostrophe } from '#src/imports/formats/formulas.ts';
import { passedOver, takenOver } from '#src/imports/formats/records.ts';
import { decimalCell, textCell } from '#src/imports/targets/cells.ts';

const columns = [
  { name: 'sku', cell: textCell({ max: 191 }) },
  { name: 'from', cell: decimalCell() },
  { name: 'amount', cell: decimalCell() },
  { name: 'until', cell: textCell({ max: 191 }) },
];
const key = ['sku', 'from'];
const values = [{ name: 'amount', mayDiffer: true }, { name: 'until' }];
type Cells = [string, string, string, string | null];

const escapes: Record<string, string> = {
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\b': '\\b',
  '\f': '\\f',
  '\v': '\\v',
};
/** As COPY writes it. */
const copied = (records: readonly Cells[]): Buffer =>
  Buffer.from(
    records
      .map(
        (cells) =>
          `${cells.map((cell) => (cell ?? '').replace(/[\\\n\r\t\b\f\v]/g, (each) => escapes[each] ?? '')).join('\t')}\n`,
      )
      .join(''),
  );

function indexOf(records: readonly Cells[], cut = Number.MAX_SAFE_INTEGER) {
  const index = createRecordIndex(columns, { key, stored: { sql: '', values }, maxBytes: 16 * 1024 });
  const bytes = copied(records);
  expect(index.add(bytes.subarray(0, cut)) && index.add(bytes.subarray(cut))).toBe(true);
  expect(index.count()).toBe(records.length);
  return index;
}

const text = fc.oneof(
  fc.string({ maxLength: 4 }),
  fc.string({ unit: fc.constantFrom('a', 'ä', 'Ã', '\\', 't', '\t', '\n', 'N', '0'), maxLength: 4 }),
);
const number = fc.constantFrom('1', '2', '10', '0.5', '0');
const written = fc.constantFrom('1', '1.0', '01', '1.50', '10', '0.50', '00', '0.0', '1.', '.5', '1.00000', '-1', '1 ');
const record = fc.tuple(text, number, number, fc.option(text)) satisfies fc.Arbitrary<Cells>;
const keyOf = ([sku, from]: Cells): string => JSON.stringify([sku, from]);

test('a row is the same only where the record of its key says so, and found wherever its text is plain', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(record, { selector: keyOf, maxLength: 30 }),
      fc.array(record, { maxLength: 30 }),
      fc.nat({ max: 300 }),
      (records, others, cut) => {
        for (const cells of [...records, ...others]) {
          const likeness = indexOf(records, cut).compare({ line: 2, cells });
          const known = records.find((each) => keyOf(each) === keyOf(cells));
          const isPlain = /^[ -[\]-~]*$/.test(cells.join(''));
          const isSame = known?.[2] === cells[2] && (known?.[3] ?? '') === (cells[3] ?? '');
          if (!known) expect(likeness).toBe('unknown');
          else if (isPlain && /^[ -[\]-~]*$/.test(known.join('')))
            expect(likeness).toBe(isSame ? 'same' : (known[3] ?? '') === (cells[3] ?? '') ? 'changed' : 'unclear');
          else if (likeness === 'same') expect(isSame).toBe(true);
          else if (likeness === 'changed') expect(known[3] ?? '').toBe(cells[3] ?? '');
        }
      },
    ),
  );
});

test('a row is passed over only where it is the same as it is read, and taken only where it changes what its columns take', () => {
  const sources = columns.map((_, place) => ({
    place,
    byDefault: place === 0 ? 'a' : null,
    required: place === 2,
  }));
  const odd = fc.string({ unit: fc.constantFrom('a', ' ', "'", '=', '\\', 't', '\t', 'ä', '0'), maxLength: 4 });
  const rowOf = fc.tuple(odd, fc.oneof(written, fc.constant('')), written, odd);
  fc.assert(
    fc.property(fc.uniqueArray(record, { selector: keyOf, maxLength: 20 }), fc.array(rowOf), (records, others) => {
      const index = indexOf([...records, ['a', '1', '1', null], ['=a', '1', '1', 'a']]);
      const changes = createStagedText(7);
      const passes = index.passOver(sources, changes);
      const spansOfRow = spansOf({ places: [0, 1, 2, 3], columns: 4, delimiter: ',' });
      const texts = records.map((cells) => cells.map((cell) => cell ?? ''));
      const seen = new Set<string>();
      for (const row of [...texts, ...others, ['', '1', '1', ''], ["'=a", '1', '1', 'a']]) {
        const bytes = Buffer.from(row.join(','));
        const spans = spansOfRow?.(bytes, 0, bytes.length);
        const passed = spans && passes(bytes, spans, 2, 1);
        if (!passed) continue;
        const values = row.map((text, at) => {
          const own = withoutApostrophe(text);
          if (own.trim() === '') return sources[at]?.byDefault ?? '';
          return columns[at]?.cell.read(own, { decimalSeparator: '.' });
        });
        const read = values.map((value, at) =>
          columns[at]?.cell.type === 'numeric' && typeof value === 'string' ? plainNumber(value) : value,
        );
        const key = JSON.stringify(read.slice(0, 2));
        expect(seen.has(key)).toBe(false);
        seen.add(key);
        const known = [...texts, ['a', '1', '1', ''], ['=a', '1', '1', 'a']];
        const taken = changes.take().toString();
        expect(taken).toBe(
          passed === takenOver
            ? `${['7', '1', '2', 'f', ...values.map((value) => (typeof value === 'string' && value !== '' ? value : '\\N'))].join('\t')}\n`
            : '',
        );
        const [sku, from, amount, until] = read;
        const own = known.filter((each) => each[0] === sku && each[1] === from && each[3] === until);
        expect(own).toHaveLength(1);
        expect(own[0]?.[2] === amount).toBe(passed === passedOver);
      }
    }),
  );
});

test('a plain row is passed over once, and then read', () => {
  const index = indexOf([['A', '1', '5', null]]);
  const sources = columns.map((_, place) => ({ place, byDefault: null, required: false }));
  const passes = index.passOver(sources, createStagedText(7));
  const row = Buffer.from('A,1,5,');
  const spans = spansOf({ places: [0, 1, 2, 3], columns: 4, delimiter: ',' })?.(row, 0, row.length);
  expect(passes(row, spans as Int32Array, 2, 1)).toBe(passedOver);
  expect(passes(row, spans as Int32Array, 3, 2)).toBe(undefined);
  expect(index.compare({ line: 3, cells: ['A', '1', '5', null] })).toBe('repeated');
  expect(index.earlierLine()).toBe(2);
});

test('a record is named once, however its numbers are written, and the line of its first row is known', () => {
  const index = indexOf([
    ['A', '1', '5', null],
    ['B', '1', '5', null],
  ]);
  expect(index.compare({ line: 2, cells: ['A', '01.0', '5.00', null] })).toBe('same');
  expect(index.compare({ line: 3, cells: ['B', '1', '6', null] })).toBe('changed');
  expect(index.compare({ line: 4, cells: ['A', '1', '6', null] })).toBe('repeated');
  expect(index.earlierLine()).toBe(2);
  expect(index.compare({ line: 5, cells: ['C', '1', '6', null] })).toBe('unknown');
});

test('no more is kept than there is room for', () => {
  const index = createRecordIndex(columns, { key, stored: { sql: '', values }, maxBytes: 10 });
  expect(index.add(Buffer.from('A\t1\t5\t\n'))).toBe(true);
  expect(index.add(Buffer.from('B\t1\t5\t\n'))).toBe(false);
});

test('rows are taken with their numbers, while what was taken before is sent', () => {
  const changes = createStagedText(1_234_567);
  const cell = Buffer.from('x'.repeat(50_000));
  const add = (n: number): void => {
    changes.beginRow(n, n + 9);
    changes.addCell(cell, 0, n);
    changes.addCell(cell, 0, 0);
    changes.endRow();
  };
  const textOf = (n: number): string => `1234567\t${n}\t${n + 9}\tf\t${'x'.repeat(n)}\t\\N\n`;
  for (const n of [1, 40_000, 50_000]) add(n);
  expect(changes.rows()).toBe(3);
  const first = changes.take();
  add(100);
  expect(String(first)).toBe([1, 40_000, 50_000].map(textOf).join(''));
  expect([changes.rows(), String(changes.take()), changes.rows()]).toEqual([1, textOf(100), 0]);
});

test('rows that were read are written as COPY takes them', () => {
  const changes = createStagedText(7);
  const faults = [{ column: null, value: null, reason: 'It is no row.' }];
  changes.addRow({ n: 1, line: 2, cells: ['A', null, 'x\\y\tz\n\r', 'Größe 😀', ''], faults: [] });
  changes.addRow({ n: -1_000_001, line: 0, cells: ['x'.repeat(70_000)], faults });
  expect(String(changes.take())).toBe(
    `7\t1\t2\tf\tA\t\\N\tx\\\\y\\tz\\n\\r\tGröße 😀\t\n7\t-1000001\t0\tt\t${'x'.repeat(70_000)}\n`,
  );
});
