import { expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

test.each([
  '{ schema(name: "credential-type", version: "v1") { schema } }',
  'query { schema(name: "credential-type", version: "v1") { ...S } } fragment S on JsonSchema { alias: schema }',
  '{ schemas { schema } }',
])('answers free JSON whose keys include `then`: %s', async (document) => {
  const { data, errors } = await api.graphql<Record<string, unknown>>(document);
  expect(errors).toBeUndefined();
  expect(JSON.stringify(data)).toContain('"then":');
});
