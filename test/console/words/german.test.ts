import { globSync, readFileSync } from 'node:fs';
import { buildSchema, isEnumType } from 'graphql';
import { expect, test } from 'vitest';
import type { InputCatalogue } from '#console/graph/input-types.ts';
import { germanEnums } from '#console/words/enums.de.ts';
import { germanFields } from '#console/words/fields.de.ts';

/** Enums whose values programs read: orders of lists, codes, kinds of updates. No screen shows them as words. */
const forPrograms =
  /OrderField$|^(ErrorCode|ListChange|Plane|RunStatsGrouping|SortDirection|StatsInterval|WorkflowIssueCode|WorkflowUpdateKind)$/;

test('every value of an enum that screens show has a German word', () => {
  const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));
  const enums = Object.values(schema.getTypeMap()).filter(
    (type) => isEnumType(type) && !type.name.startsWith('__') && !forPrograms.test(type.name),
  );
  const values = enums.flatMap((type) => (isEnumType(type) ? type.getValues().map(({ name }) => name) : []));
  expect(values.length).toBeGreaterThan(150);
  expect(
    [...new Set(values)].filter((value) => germanEnums[value] === undefined),
    'Add them to console/words/enums.de.ts.',
  ).toEqual([]);
});

test('every field of a form has a German label', () => {
  const { inputs } = JSON.parse(readFileSync('console/generated/inputs.json', 'utf8')) as InputCatalogue;
  const names = Object.values(inputs).flatMap((fields) => fields.map(({ name }) => name));
  expect(names.length).toBeGreaterThan(400);
  expect(
    [...new Set(names)].filter((name) => germanFields[name] === undefined),
    'Add them to console/words/fields.de.ts.',
  ).toEqual([]);
});

test.each([
  ['Auslöser', 'Trigger'],
  ['Nutzdaten', 'Payload'],
])('no German word says "%s" for what the others call "%s"', (word, instead) => {
  const files = globSync('console/**/*.{words,de}.ts', { exclude: ['console/node_modules/**'] });
  expect(files.length).toBeGreaterThan(50);
  expect(
    files.filter((file) => readFileSync(file, 'utf8').includes(word)),
    `Write ${instead}.`,
  ).toEqual([]);
});
