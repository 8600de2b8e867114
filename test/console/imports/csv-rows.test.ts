import { expect, test } from 'vitest';
import { csvRows } from '#console/imports/csv-rows.ts';

test('cells of CSV are read with quotes, line breaks within them and empty cells', () => {
  const text = 'line,column,value,reason\n3,Quantity,"1,5 ""half""\nmore","Use digits."\r\n4,,,\n';
  expect(csvRows(text)).toEqual([
    ['line', 'column', 'value', 'reason'],
    ['3', 'Quantity', '1,5 "half"\nmore', 'Use digits.'],
    ['4', '', '', ''],
  ]);
});

test('a file that is cut off within a quote keeps what there is of the last row', () => {
  expect(csvRows('1,"one\ntwo')).toEqual([['1', 'one\ntwo']]);
});

test('an empty file has no rows', () => {
  expect(csvRows('')).toEqual([]);
});
