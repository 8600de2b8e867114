import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { call } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

const page = await readFile(new URL('../../../docs/credentials.md', import.meta.url), 'utf8');
/** Each request with the answer that follows it, where one does. */
const examples = [...page.matchAll(/^```http\n(\S+) (\S+)\n([\s\S]*?)```(?:\n\n```json\n([\s\S]*?)```)?/gm)].map(
  ([, method = '', path = '', body = '', answer]) => ({ method, path, body, answer }),
);

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

test.each(examples)('the page on credentials shows the actual response to $method $path', async (example) => {
  const { method, path, body, answer } = example;
  const given = await call(api, method, path, body === '' ? {} : { body });
  expect(given.status).toBeLessThan(300);
  if (answer === undefined) return;
  const expected: unknown = JSON.parse(answer, (_key, value: unknown) => (value === '…' ? expect.any(String) : value));
  expect(given.body).toEqual(expected);
});

test('the page has examples', () => {
  expect(examples.filter(({ answer }) => answer !== undefined)).toHaveLength(3);
});
