import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addColumn,
  addRow,
  cellText,
  cellValue,
  moveRow,
  readTable,
  removeRow,
  repeatedName,
  setCell,
  type Table,
  writeTable,
} from '#console/automation/editor/form/table/table-value.ts';

const scalar = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constant('{{ trigger.payload.x }}'),
);
const name = fc.string({ minLength: 1, maxLength: 8 });
const plain = { noNullPrototype: true };
const flat = fc.dictionary(name, scalar, plain);
const anyObject = fc.dictionary(name, fc.oneof(scalar, fc.array(scalar), flat), plain);
const anyList = fc.oneof(fc.array(scalar), fc.array(flat), fc.array(fc.oneof(scalar, anyObject)));

const read = (value: unknown): Table => readTable(value) ?? expect.fail('No table');

describe('a table', () => {
  test('is written as the value that it was read from', () => {
    fc.assert(
      fc.property(fc.oneof(anyObject, anyList), (value) => {
        expect(writeTable(read(value))).toEqual(value);
      }),
    );
  });

  test('is read as it was written', () => {
    fc.assert(
      fc.property(fc.oneof(anyObject, anyList), (value) => {
        const table = read(value);
        expect(readTable(writeTable(table))).toEqual(table);
      }),
    );
  });

  test('has cells whose text stands for their value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.stringify(cellValue(cellText(value)))).toBe(JSON.stringify(value));
      }),
    );
  });

  test('is the same after a row was moved there and back, or added and removed', () => {
    fc.assert(
      fc.property(anyList, fc.nat(5), fc.nat(5), (value, from, to) => {
        const table = read(value);
        const isInside = Math.max(from, to) < table.rows.length;
        if (isInside) expect(moveRow(moveRow(table, from, to), to, from)).toEqual(table);
        expect(removeRow(addRow(table), table.rows.length)).toEqual(table);
      }),
    );
  });

  test('keeps numbers that a double would round, and text in quotes', () => {
    expect(cellText(cellValue('12345678901234567890'))).toBe('12345678901234567890');
    expect(cellValue('"12"')).toBe('12');
    expect(cellText('12')).toBe('"12"');
  });

  test('leaves out empty rows, and says which name two rows have', () => {
    const table = addRow(read({ a: 1 }));
    expect(writeTable(table)).toEqual({ a: 1 });
    expect(repeatedName(setCell(table, 1, 'name', 'a'))).toBe('a');
    expect(writeTable(setCell(setCell(table, 1, 'name', '1'), 1, 'value', '2'))).toEqual({ a: 1, 1: 2 });
  });

  test('takes columns, and leaves the members out that are empty', () => {
    const table = addColumn(read([{ equals: 1 }]), 'branch');
    const filled = setCell(table, 0, 'branch', 'one');
    expect(writeTable(filled)).toEqual([{ equals: 1, branch: 'one' }]);
    expect(writeTable(setCell(filled, 0, 'branch', ''))).toEqual([{ equals: 1 }]);
    expect(addColumn(read([]), 'equals')).toMatchObject({ layout: 'records', columns: ['equals'] });
  });
});
