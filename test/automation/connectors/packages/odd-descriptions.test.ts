import { expect, test } from 'vitest';
import { readDescription } from '#src/automation/connectors/descriptions/read-description.ts';
import { makePackageFiles } from '#src/automation/connectors/packages/package-files.ts';
import { readNodePackage } from '#src/automation/packages/package-manifest.rules.ts';

type Json = Record<string, unknown>;

const answer = { responses: { 200: { description: 'Done' } } };

/** Makes a package of all operations and reads it as its registration does. */
async function publish(paths: Json, securitySchemes: Json = {}) {
  const document = { openapi: '3.1.0', info: { title: 'Acme' }, paths, components: { securitySchemes } };
  const description = await readDescription(Buffer.from(JSON.stringify(document)));
  const { made, files } = makePackageFiles(description, {
    choice: { all: true },
    namespace: 'acme',
    source: 'acme.json',
    before: new Map(),
  });
  const archive = new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]));
  return { ...readNodePackage(archive), skipped: made.skipped };
}

test.each([
  ['spaces', '/big orders/{id}', '/big%20orders/{id}'],
  ['markup', '/<img src=x>', '/<img%20src=x>'],
  ['a line break', '/a\nb', '/a%0Ab'],
  ['no slash at its begin', 'orders', '/orders'],
])('an operation whose path has %s becomes a node', async (_what, path, sent) => {
  const { nodes } = await publish({ [path]: { get: answer }, '/stock': { get: answer } });
  expect(nodes.map(({ call }) => call?.path)).toEqual([sent, '/stock']);
});

test.each([
  ['a parameter whose name has a space', '/orders/{order id}', /a parameter whose name/],
  ['more characters than a call may have', `/${'x'.repeat(2_100)}`, /more than 2048/],
])('an operation whose path has %s is skipped, and the others are not', async (_what, path, reason) => {
  const { nodes, skipped } = await publish({ [path]: { get: answer }, '/stock': { get: answer } });
  expect(nodes.map(({ call }) => call?.path)).toEqual(['/stock']);
  expect(skipped).toMatchObject([{ reason: expect.stringMatching(reason) }]);
});

test('an operation whose id begins with a number becomes a node', async () => {
  const { nodes } = await publish({ '/2fa': { post: { ...answer, operationId: '2faEnable' } } });
  expect(nodes.map(({ slug }) => slug)).toEqual(['acme:post-2fa-enable']);
});

test('schemes whose names differ in the case of a letter alone have types of their own', async () => {
  const secured = (name: string) => ({ get: { ...answer, security: [{ [name]: [] }] } });
  const { credentialTypes } = await publish(
    { '/a': secured('apiKey'), '/b': secured('ApiKey') },
    {
      apiKey: { type: 'apiKey', in: 'header', name: 'X-Key' },
      ApiKey: { type: 'apiKey', in: 'query', name: 'key' },
    },
  );
  expect(credentialTypes.map(({ slug }) => slug)).toEqual([
    'acme:api-key',
    expect.stringMatching(/^acme:api-key-[\da-f]{6}$/),
  ]);
});

test('an operation whose key has a name that no header has is skipped, and the others are not', async () => {
  const { nodes, skipped } = await publish(
    { '/a': { get: { ...answer, security: [{ key: [] }] } }, '/b': { get: answer } },
    { key: { type: 'apiKey', in: 'header', name: 'x'.repeat(200) } },
  );
  expect(nodes.map(({ slug }) => slug)).toEqual(['acme:get-b']);
  expect(skipped).toMatchObject([{ operation: 'GET /a' }]);
});
