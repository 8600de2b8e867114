import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '#test/setup/app.ts';

let api: TestApp;
beforeAll(async () => {
  api = await startTestApp();
});
afterAll(() => api.close());

test.each([
  '{ schema(name: "credential-type", version: "v1") { schema } }',
  'query { schema(name: "credential-type", version: "v1") { ...S } } fragment S on JsonSchema { alias: schema }',
  '{ schemas { schema } }',
])('answers free JSON whose keys include `then`: %s', async (document) => {
  const { data, errors } = await api.graphql<Record<string, unknown>>(document);
  expect(errors).toBeUndefined();
  expect(JSON.stringify(data)).toContain('"then":');
});
