import { expect, test } from 'vitest';
import { columnsFor, draftFor, fits, type SentFile, withChanges } from '#console/imports/bulk-jobs/new-import/draft.ts';
import type { Target } from '#console/imports/bulk-jobs/new-import/settings.ts';

const field = (name: string, isRequired = true) => ({ name, isRequired, isKey: false, default: null });
const targets: Target[] = [
  { name: 'stock', fields: [field('sku'), field('location', false), field('quantity')] },
  { name: 'contacts', fields: [field('customer_number'), field('email')] },
];

const sent = (text: string, columns: string[]): SentFile => ({
  name: 'file.csv',
  uploadId: 'VXBsb2FkOjE',
  head: Buffer.from(text, 'latin1'),
  proposal: {
    format: 'CSV',
    delimiter: ';',
    encoding: 'windows-1252',
    decimalSeparator: ',',
    header: true,
    skipLines: 0,
    columns,
  },
});
const stock = sent('Artikel;Größe;Bestand\nA-1;"38; weit";1,5\n', ['Artikel', 'Größe', 'Bestand']);

test('the records and columns of a file are guessed by the names of its columns', () => {
  expect(draftFor(stock, targets)).toMatchObject({ target: 'stock', mapping: { sku: 'Artikel', quantity: 'Bestand' } });
  expect(draftFor(sent('Kundennr.;E-Mail\n', ['Kundennr.', 'E-Mail']), targets)).toMatchObject({
    target: 'contacts',
    mapping: { customer_number: 'Kundennr.', email: 'E-Mail' },
  });
});

test('columns have their first values, in the encoding of the file', () => {
  expect(columnsFor(stock, draftFor(stock, targets))).toEqual({
    names: ['Artikel', 'Größe', 'Bestand'],
    samples: [['A-1'], ['38; weit'], ['1,5']],
  });
});

test('columns that are found by other settings lose the sources that they lack, and get them back', () => {
  const before = withChanges(
    draftFor(stock, targets),
    { mapping: { sku: 'Artikel', location: { value: 'hall' } } },
    stock,
    targets,
  );
  const unnamed = withChanges(before, { header: false }, stock, targets);
  expect(unnamed.mapping).toEqual({ location: { value: 'hall' } });
  expect(columnsFor(stock, unnamed).names).toEqual(['1', '2', '3']);
  expect(withChanges(unnamed, { header: true }, stock, targets).mapping).toEqual({
    sku: 'Artikel',
    quantity: 'Bestand',
    location: { value: 'hall' },
  });
});

test('what was entered stays for another file that has the same columns', () => {
  const settings = draftFor(stock, targets);
  expect(fits(settings, sent('Bestand;Artikel\n2;A-1\n', ['Bestand', 'Artikel']))).toBe(true);
  expect(fits(settings, sent('Menge;Artikel\n2;A-1\n', ['Menge', 'Artikel']))).toBe(false);
});
