import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { declarations } from '#src/domains/domains.ts';
import { createValidator } from '#src/infra/json-schema/compile-schema.ts';

/** The official JSON Schema Test Suite, as Debian has it. */
const folder = '/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance/tests/draft2020-12';
const isMissing = !existsSync(folder);
const suffix = isMissing ? ' (skipped: apt-get install libtest-json-schema-acceptance-perl)' : '';

interface Group {
  description: string;
  schema: unknown;
  tests: { description: string; data: unknown; valid: boolean }[];
}

/** The keywords in a schema and in the schemas inside of it. */
function listKeywords(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const isMap = keyword === 'properties' || keyword === '$defs';
    const inner = isMap || Array.isArray(value) ? Object.values(value as object) : [value];
    const holdsSchemas = isMap || applicators.has(keyword);
    return [keyword, ...(holdsSchemas ? inner.flatMap(listKeywords) : [])];
  });
}
const applicators = new Set([
  'additionalProperties',
  'allOf',
  'anyOf',
  'else',
  'if',
  'items',
  'not',
  'oneOf',
  'propertyNames',
  'then',
]);

/**
 * The file of the suite that tests a keyword. Null for annotations, which assert nothing, and for `format`, which we assert and the
 * suite does not.
 */
const testFile = (keyword: string): string | null =>
  ['if', 'then', 'else'].includes(keyword) ? 'if-then-else' : notes.has(keyword) ? null : keyword.replace(/^\$/, '');
const notes = new Set(['$id', '$schema', 'title', 'description', 'examples', 'format']);

const used = new Set(declarations.schemas.flatMap(({ schema }) => listKeywords(schema)));
const files = [...new Set([...used].map(testFile).filter((file) => file !== null)), 'boolean_schema'].toSorted();

/** Names that ajv leaves out on purpose; none of our schemas has such a member. */
const known = 'properties whose names are Javascript object property names: __proto__ not valid';

/** Schemas of the suite that a validator in strict mode does not take: none of ours can have such a mistake unseen. */
const refused = (error: unknown): boolean => error instanceof Error && error.message.startsWith('strict mode:');

/** References to other documents, or to a schema that has a name of its own. Ours lead to the definitions beside them. */
const leadsElsewhere = (schema: unknown): boolean => {
  const text = JSON.stringify(schema);
  return /"\$(?:id|anchor)"/.test(text) || /"\$ref":"[^#]/.test(text);
};

test('references of published schemas lead to their own definitions', () => {
  const refs = JSON.stringify(declarations.schemas).match(/"\$ref":"[^"]*"/g) ?? [];
  expect(refs.filter((ref) => !ref.startsWith('"$ref":"#/$defs/'))).toEqual([]);
});

test('keywords of published schemas are found at every depth', () => {
  expect(JSON.stringify(declarations.schemas)).not.toContain('"__proto__"');
  expect(files).toEqual(expect.arrayContaining(['propertyNames', 'if-then-else', 'exclusiveMinimum', 'uniqueItems']));
});

describe.skipIf(isMissing)(`the validator passes the required tests of the JSON Schema Test Suite${suffix}`, () => {
  test.each(files)('of %s', async (file) => {
    const text = await readFile(join(folder, `${file}.json`), 'utf8');
    const wrong: string[] = [];
    let count = 0;
    const shared = createValidator();
    for (const { description, schema, tests } of JSON.parse(text) as Group[]) {
      if (file === 'ref' && leadsElsewhere(schema)) continue;
      // Several have the same `$id`, so these have one of their own each, which costs 10 ms.
      const validator = JSON.stringify(schema).includes('"$id"') ? createValidator() : shared;
      let validate: ReturnType<typeof validator.compile>;
      try {
        validate = validator.compile(schema as object);
      } catch (error) {
        if (refused(error)) continue;
        throw error;
      }
      for (const each of tests) {
        count += 1;
        if (validate(each.data) !== each.valid) wrong.push(`${description}: ${each.description}`);
      }
    }
    expect(wrong.filter((each) => each !== known)).toEqual([]);
    expect(count).toBeGreaterThan(0);
  });
});
