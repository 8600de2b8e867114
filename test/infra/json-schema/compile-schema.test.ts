import { expect, test } from 'vitest';
import { declarations } from '#src/domains/domains.ts';
import { compileSchema, isLinearPattern } from '#src/infra/json-schema/compile-schema.ts';
import { version } from '#src/infra/json-schema/fragments.ts';

test.each(declarations.schemas.map((published) => [`${published.name}/${published.version}`, published] as const))(
  '%s compiles, refuses an empty document and is found under its own id',
  (path, { schema }) => {
    expect(schema.$id).toBe(`/api/v1/schemas/${path}`);
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
    expect(compileSchema(schema)({})).toMatchObject({ ok: false });
  },
);

test('every schema is published once', () => {
  const names = declarations.schemas.map(({ name, version }) => `${name}/${version}`);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toContain('workflow-blob/v1');
});

test('each of two patterns is applied to its own member', () => {
  const check = compileSchema({
    type: 'object',
    properties: { a: { type: 'string', pattern: '^a+$' }, b: { type: 'string', pattern: '^b+$' } },
  });
  expect(check({ a: 'aaa', b: 'bbb' })).toEqual({ ok: true, value: { a: 'aaa', b: 'bbb' } });
  expect(check({ a: 'bbb', b: 'bbb' })).toMatchObject({ ok: false, issues: [{ pointer: '/a' }] });
  expect(check({ a: 'aaa', b: 'aaa' })).toMatchObject({ ok: false, issues: [{ pointer: '/b' }] });
});

test('a pattern that makes a backtracking engine hang is answered in linear time', () => {
  const check = compileSchema({ type: 'string', pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' });
  expect(check('a'.repeat(100_000)).ok).toBe(false);
});

test('only patterns that RE2 supports are accepted', () => {
  expect(isLinearPattern('^(a|b)*$')).toBe(true);
  for (const pattern of ['(a)\\1', '(?=a)', '(?<!a)b', '(', '[']) expect(isLinearPattern(pattern)).toBe(false);
  expect(() => compileSchema({ type: 'string', pattern: '(?=a)' })('a')).toThrow();
});

/** The keywords `pattern` of a schema and of the schemas inside of it that no example explains. */
function unexplained(schema: unknown, place = ''): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { pattern, examples } = schema as { pattern?: unknown; examples?: unknown };
  const isBare = typeof pattern === 'string' && examples === undefined && !isPartOfAnother(place);
  return [
    ...(isBare ? [`${place} ${pattern}`] : []),
    ...Object.entries(schema).flatMap(([member, inner]) => unexplained(inner, `${place}/${member}`)),
  ];
}
const isPartOfAnother = (place: string): boolean => place.includes('/if/') || place.endsWith('/not');

test('a text of the wrong form is explained by examples, not by a regular expression', () => {
  const check = compileSchema({ type: 'object', properties: { version } });
  expect(check({ version: '1' })).toEqual({
    ok: false,
    issues: [{ pointer: '/version', message: 'must have the form of "1.0.0" or "2.1.0-beta.1"' }],
  });
  // A workflow is checked by zod, which has sentences of its own.
  const checked = declarations.schemas.filter(({ name }) => name !== 'workflow-blob');
  for (const { schema, name } of checked) expect([name, unexplained(schema)]).toEqual([name, []]);
});

test('issues are bounded and say what to change', () => {
  const check = compileSchema({ type: 'array', items: { enum: ['a', 'b'] } });
  const result = check(Array.from({ length: 1000 }).fill('c'));
  const issues = result.ok ? [] : result.issues;
  expect(issues).toHaveLength(50);
  expect(issues[1]).toEqual({ pointer: '/1', message: 'must be one of "a", "b"' });
});
