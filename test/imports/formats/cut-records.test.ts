import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readJson } from '#src/imports/formats/json/json.ts';
import { type CellValue, skippedRecord, type Reading } from '#src/imports/formats/records/records.ts';
import { readXml } from '#src/imports/formats/xml/xml.ts';
import { inPieces, type ReadFormat, readAll, readXlsx } from '#test/imports/read-chunks.ts';

interface Format extends ReadFormat {
  /** Files with records of a few shapes. */
  file: fc.Arbitrary<string>;
}

const plain = ['a', 'B', '7', '0', '-', '.', '_', ' ', '=', "'", 'x0041_'];
/** Texts that mean nothing to the format, or few that do. */
const arbitraryTexts = (...special: string[]): fc.Arbitrary<fc.Arbitrary<string>> => {
  const piece = (...pieces: string[]) =>
    fc.array(fc.constantFrom(...pieces), { maxLength: 5 }).map((each) => each.join(''));
  const odd = piece('ö', '😀', '\n', '>', '730284619503', '730284619503100', ...plain, ...special);
  const few = fc.oneof({ weight: 40, arbitrary: piece(...plain) }, { weight: 1, arbitrary: odd });
  return fc.constantFrom(piece(...plain), piece('4', '12'), few);
};

type Texts = (name: string) => string;

/** Records that are each written by one of a few functions, which are given texts. */
function arbitraryRecords(
  shape: fc.Arbitrary<(takeText: Texts, at: number) => string>,
  texts: fc.Arbitrary<fc.Arbitrary<string>>,
): fc.Arbitrary<string[]> {
  const record = texts.chain((text) =>
    fc.array(fc.tuple(fc.nat(2), fc.array(text, { minLength: 4, maxLength: 4 })), someRecords),
  );
  return fc.tuple(fc.array(shape, { minLength: 1, maxLength: 3 }), record).map(([shapes, records]) =>
    records.map(([which, own], at) => {
      let next = 0;
      return shapes[which % shapes.length]?.(() => own[next++ % own.length] as string, at) ?? '';
    }),
  );
}
const someRecords = { minLength: 8, maxLength: 40, size: 'max' } as const;

const part = <Part extends string>(...parts: Part[]): fc.Arbitrary<Part> => fc.constantFrom(...parts);

const xmlShape = fc
  .tuple(
    part('', ' id="*"', " id='*'", ' id = "*" k="&lt;" l="1>0"', ' id="1" id="*"'),
    part(
      '<a>*</a>',
      '<a>*</a>',
      '<a>*</a>',
      '<a/>',
      '',
      '<a>*<b>*</b>*</a>',
      '<a>\n*</a>',
      '<a>1</a><a>*</a>',
      '<!-- </row> --><a>*</a>',
    ),
    part('<g k="*"><c>*</c></g>', '<g>\n <c >*</c >\n </g >', '<g><h><c>*</c></h>*</g>', '<g><c><![CDATA[*]]></c></g>'),
    part('', '', '', '\n', '\n', '<other>*</other>', '</part><part>', '<?pi *?>'),
    part('</row>', '</row>', '</row>', '/'),
  )
  .map(([attributes, a, g, before, end]) => (text: Texts) => {
    const row = end === '/' ? `<row${attributes}/>` : `<row${attributes}>${a}${g}</row>`;
    return `${before}${row}`.replace(/\*/g, () => text(''));
  });

const jsonShape = fc
  .tuple(
    part('"id":"*",', '"id" : *9,', '"id":true,', '', '"id":[1,"*",{}],', '"i\\u0064":"*",', '"__proto__":{"id":"*"},'),
    part('"a":*5', '"a":"*"', '"a":null', '"a":1,"a":"*"', '"a":{"b":"*"}', '"a":-0.5', '"a":*1.5e3', '"a":0*'),
    part('', ',"g":{"c":"*","d":[]}', ',"g":{"c":*2}', ',"g":"}"'),
    part('', '\n', ' '),
  )
  .map(
    ([id, a, g, space]) =>
      (text: Texts): string =>
        `${space}{${id}${a}${g}${space}}`
          .replace(/(?<=:)\*/g, () => text('').replaceAll(/[^\d.-]/g, '') || '1')
          .replace(/\*/g, () => text('')),
  );

const cell = part(
  '<c t="inlineStr"><is><t>*</t></is></c>',
  '<c r="@#"><v>12.5</v></c>',
  '<c r="@#" t="inlineStr"><is><t>*</t></is></c>',
  '<c t="inlineStr"><is><t xml:space="preserve">*</t></is></c>',
  '<c r="@#"><v>*</v></c>',
  '<c r="@#"><v>12.5</v></c>',
  '<c><v>1E3</v></c>',
  '<c r="@#" t="s"><v>1</v></c>',
  '<c r="@#" t="s"/>',
  '<c r="@#" s="1"><v>*</v></c>',
  '<c r="@#" t="str"><f>1&amp;*</f><v>*</v></c>',
  '<c r="@#" t="b"><v>1</v></c>',
  '<c/>',
  '',
);
const sheetShape = fc
  .tuple(part('', ' r="#"', ' r="#" spans="1:3"', ' ht="*"'), cell, cell, cell, part('', '\n', '<x:y/>'))
  .map(
    ([row, ...cells]) =>
      (text: Texts, at: number): string =>
        `${cells[3]}<row${row}>${cells
          .slice(0, 3)
          .map((own, place) => own.replaceAll('@', 'ABC'[place] ?? ''))
          .join('')}</row>`
          .replaceAll('#', String(2 * at + 2))
          .replace(/\*/g, () => text('')),
  );

const cellsHeader = ['id', 'a', 'g'].map((name) => `<c t="inlineStr"><is><t>${name}</t></is></c>`).join('');
const formats: Record<string, Format> = {
  XML: {
    read: readXml,
    wanted: ['@id', 'a', 'g.c', 'g.@k', 'none'],
    file: arbitraryRecords(xmlShape, arbitraryTexts('&amp;', '&#9;', '&x;', '<', ']]>', '"')).map(
      (rows) => `<r><part>${rows.join('')}</part></r>`,
    ),
  },
  JSON: {
    read: readJson,
    wanted: ['id', 'a', 'g.c', 'none'],
    file: arbitraryRecords(jsonShape, arbitraryTexts('\\n', '\\u00e4', '"', '},{', '\\')).map(
      (rows) => `[${rows.join(',')}]`,
    ),
  },
  XLSX: {
    read: readXlsx,
    wanted: ['a', 'id', 'g', 'none'],
    file: arbitraryRecords(sheetShape, arbitraryTexts('&amp;', '_x0041_', '&x;', '<', '"')).map(
      (rows) => `<worksheet><sheetData><row>${cellsHeader}</row>${rows.join('')}</sheetData></worksheet>`,
    ),
  },
};

const cut = (bytes: Buffer, cuts: readonly number[]): Buffer[] => {
  const at = [0, ...cuts.map((place) => place % bytes.length).toSorted((one, two) => one - two), bytes.length];
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end));
};
describe.each(Object.entries(formats))('records of %s', (name, format) => {
  const own: fc.Arbitrary<Partial<Reading>> = fc.record({
    recordPath: fc.constant(name === 'XML' ? 'r.part.row' : null),
    decimalSeparator: fc.constantFrom('.', ','),
  });
  const cuts = fc.array(fc.nat(), { minLength: 1, maxLength: 4 });

  test('are the same wherever a file is cut, also in files with faults', async () => {
    await fc.assert(
      fc.asyncProperty(format.file, own, cuts, fc.option(fc.nat()), async (text, reading, places, lost) => {
        const at = lost === null ? text.length : lost % text.length;
        const bytes = Buffer.from(text.slice(0, at) + text.slice(at + 1));
        const parsed = await readAll(format, inPieces(bytes), reading);
        const found = await readAll(format, cut(bytes, places), reading);
        // Of several faults of a file, JSON's first depends on where it is cut.
        if (name === 'JSON') expect(found.fault === undefined).toBe(parsed.fault === undefined);
        else expect(found.fault?.message).toBe(parsed.fault?.message);
        // Those of the chunk that has the fault are not there.
        const many = parsed.fault ? Math.min(parsed.records.length, found.records.length) : undefined;
        expect(found.records.slice(0, many)).toEqual(parsed.records.slice(0, many));
      }),
      { numRuns: 100 },
    );
  });

  test.runIf(name === 'XLSX')('that are skipped are shown as they would be read', async () => {
    let passed = 0;
    await fc.assert(
      fc.asyncProperty(format.file, cuts, fc.integer({ min: 1, max: 3 }), async (text, places, every) => {
        const bytes = Buffer.from(text);
        const parsed = await readAll(format, inPieces(bytes));
        const found = await readAll(format, cut(bytes, places), {
          skipUnchanged(own, spans, line, n) {
            if (n % every !== 0) return undefined;
            const cells = format.wanted.map((_, place) => {
              const begin = spans[2 * place] as number;
              return begin === -1 ? undefined : own.toString('utf8', begin, spans[2 * place + 1]);
            });
            const record = parsed.records[n - 1];
            expect(line).toBe(record?.line);
            // A leading apostrophe may be a guard against formulas, which is not passed over; an empty cell may have no value.
            expect(cells).toEqual(record?.cells.map((each, place) => guarded(each, cells[place])));
            passed += 1;
            return skippedRecord;
          },
        });
        const records = found.records.map((record, at) => (record === skippedRecord ? parsed.records[at] : record));
        const many = parsed.fault ? Math.min(parsed.records.length, records.length) : undefined;
        expect(records.slice(0, many)).toEqual(parsed.records.slice(0, many));
      }),
      { numRuns: 200 },
    );
    expect(passed).toBeGreaterThan(50);
  });
});

const guarded = (read: CellValue, shown: string | undefined): CellValue =>
  shown?.startsWith("'") && shown.slice(1) === read ? shown : (read ?? shown?.slice(shown.length));
