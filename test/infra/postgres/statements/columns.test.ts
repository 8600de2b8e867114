import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toColumns } from '#src/infra/postgres/statements/columns.ts';
import { anyText } from '#test/setup/any-text.ts';
import { cloneDatabase } from '#test/setup/database.ts';

let client: pg.Client;
let drop: () => Promise<void>;
beforeAll(async () => {
  const clone = await cloneDatabase();
  drop = clone.drop;
  client = new pg.Client({ connectionString: clone.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await drop();
});

/** The values as Postgres reads them. */
async function asRead(values: unknown[], type: string): Promise<unknown[]> {
  const { rows } = await client.query<{ value: unknown }>({
    text: `SELECT unnest($1::${type}[]) AS value`,
    values: toColumns(
      values.map((value) => ({ value })),
      'value',
    ),
  });
  return rows.map(({ value }) => value);
}

const awkward = ['', ' ', ',', '{}', '{"a": "b\\\\"}', '"', '\\', '\\"', 'NULL', 'null', '\n', 'Zoë', '\u{1F600}'];

test('any text arrives unchanged, alone and beside others', async () => {
  expect(await asRead([...awkward, null, ...awkward], 'text')).toEqual([...awkward, null, ...awkward]);
  const texts = fc.array(fc.option(anyText().map((text) => text.replaceAll('\0', ''))));
  await fc.assert(
    fc.asyncProperty(texts, async (values) => {
      expect(await asRead(values, 'text')).toEqual(values);
    }),
    { numRuns: 50 },
  );
});

test('numbers, booleans and absent values arrive', async () => {
  expect(await asRead([0, -1.5, 1e21, 5e-324, undefined, null, Number.POSITIVE_INFINITY], 'float8')).toEqual([
    0,
    -1.5,
    1e21,
    5e-324,
    null,
    null,
    Number.POSITIVE_INFINITY,
  ]);
  expect(await asRead([1n, 2 ** 53 - 1], 'bigint')).toEqual(['1', '9007199254740991']);
  expect(await asRead([true, true, false, null], 'boolean')).toEqual([true, true, false, null]);
  expect(await asRead([], 'text')).toEqual([]);
});

test('dates, bytes and objects arrive, also after values of other kinds', async () => {
  const at = new Date('2026-01-31T12:00:00.120Z');
  expect(await asRead([null, at, at], 'timestamptz')).toEqual([null, at, at]);
  expect(await asRead([undefined, Buffer.from('a\\"')], 'bytea')).toEqual([null, Buffer.from('a\\"')]);
  expect(await asRead(['1', { a: '"\\' }], 'jsonb')).toEqual([1, { a: '"\\' }]);
});
