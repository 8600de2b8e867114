import { expect, test } from 'vitest';
import { productImportTarget } from '#src/commerce/products/products.targets.ts';
import { readers } from '#src/imports/formats/formats.ts';
import type { Read } from '#src/imports/formats/records/records.ts';
import { keptProfile } from '#src/imports/profiles/profiles.inputs.ts';
import { createRowReader } from '#src/imports/profiles/row-reader.rules.ts';
import { readAll, readXlsx } from '#test/imports/read-chunks.ts';

const settings = {
  recordPath: null,
  sheet: null,
  delimiter: ',',
  encoding: 'utf-8',
  decimalSeparator: '.',
  asOf: null,
};
const effects = { quantityBasis: 'physical', mode: 'full', absent: 'keep' };

/** The SKUs of the rows of a file, or why they are rejected. */
async function readSkus(format: string, content: string, mapping: object | null = null): Promise<unknown[]> {
  const profile = keptProfile.parse({ ...settings, ...effects, format, mapping });
  const reader = createRowReader(productImportTarget, profile);
  const read = format === 'xlsx' ? readXlsx : (readers[format] as Read);
  const wanted = reader.wanted.map(({ name }) => name);
  const { records, fault } = await readAll({ read, wanted }, [Buffer.from(content)]);
  expect(fault).toBeUndefined();
  return records.map((record) => {
    const { cells, faults } = reader.read(record);
    return faults[0]?.reason ?? cells[0];
  });
}

const broken = 'The text has half of a character (an unpaired surrogate). Send the whole character.';

const object = (sku: string) => `{"sku":"${sku}","name":"x","description":"x","active":true}`;
const row = (sku: string) =>
  `<row>${[sku, 'x', 'x', 'true'].map((text) => `<c t="str"><v>${text}</v></c>`).join('')}</row>`;
const sheet = (...skus: string[]) =>
  `<worksheet><sheetData>${row('sku').replace('>x<', '>name<').replace('>x<', '>description<').replace('true', 'active')}${skus.map(row).join('')}</sheetData></worksheet>`;

test.each<[string, string]>([
  ['json', `[${['A', 'B', 'A\\ud83dB', 'A\\ude00', '\\ude00\\ud83d', '\\ud83d\\ude00'].map(object).join(',')}]`],
  ['ndjson', ['A', 'B', 'A\\ud83dB', 'A\\ude00', '\\ude00\\ud83d', '\\ud83d\\ude00'].map(object).join('\n')],
  ['xlsx', sheet('A', 'B', 'A_xD83D_B', 'A_xDE00_', '_xDE00__xD83D_', '_xD83D__xDE00_')],
])('half of a character in %s rejects its row, and a whole one is read', async (format, content) => {
  expect(await readSkus(format, content)).toEqual(['A', 'B', broken, broken, broken, '😀']);
});

test('a row is rejected if a transform leaves half of a character', async () => {
  const replace = [{ replace: '\ud83d', by: '' }];
  const mapping = { sku: { column: 'sku', transforms: replace }, name: 'name' };
  expect(await readSkus('ndjson', `{"sku":"😀","name":"x"}`, mapping)).toEqual([broken]);
});
