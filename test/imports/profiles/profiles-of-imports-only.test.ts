import { expect } from 'vitest';
import { makeProfile } from '#test/imports/import-file.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';

test.for<[string, object, RegExp]>([
  [
    'a field of a parent',
    { format: 'json', record_path: 'a.items', mapping: { sku: '../sku', quantity: 'q' } },
    /around its record/,
  ],
  ['the items of a list', { format: 'json', record_path: 'a[].items' }, /says which of several records to read/],
  [
    'a chosen element',
    { format: 'xml', mapping: { sku: "id[@type='a']", quantity: 'q' } },
    /cannot be the name of an XML element/,
  ],
  ['namespaces', { format: 'xml', namespaces: { '': 'urn:a' } }, /are only read/],
  [
    'a text with elements in it',
    { format: 'xml', mapping: { sku: 'id', quantity: 'id.q' } },
    /is a text and has elements/,
  ],
])('an export is refused for a profile with %s', async ([of, settings, reason], { api }) => {
  const { name } = await makeProfile(api, { name: `only read: ${of}`, target: 'stock', ...settings });
  expect(await callPlatform(api, 'POST', '/io/exports', { body: { profile: name } })).toMatchObject({
    status: 422,
    body: { errors: { profile: [expect.stringMatching(reason)] } },
  });
});
