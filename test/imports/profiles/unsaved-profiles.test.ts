import { expect } from 'vitest';
import { upload } from '#test/imports/import-file.ts';
import { test } from '#test/setup/app-test.ts';

const preview = `mutation ($input: PreviewImportInput!) {
  previewImport(input: $input) {
    ... on PreviewImportPayload { rows { line values errors { column reason } } }
    ... on ValidationError { fields { path messages } }
  }
}`;

test('a file is previewed by settings that are not saved', async ({ api }) => {
  const uploadId = String(await upload(api, 'Artikel;Menge\nA1;12,50\nB1;viele\n'));
  const settings = {
    target: 'stock',
    format: 'CSV',
    delimiter: ';',
    decimalSeparator: ',',
    mapping: { sku: 'Artikel', quantity: 'Menge' },
  };
  const ask = (input: object) => api.graphql(preview, { input: { uploadId, ...input } });
  expect((await ask({ settings })).data).toMatchObject({
    previewImport: {
      rows: [
        { line: 2, values: { sku: 'A1', location: 'main', quantity: '12.50' } },
        { line: 3, errors: [{ column: 'Menge', reason: expect.stringContaining('such as 12,50') }] },
      ],
    },
  });
  expect((await ask({ settings: { ...settings, mapping: { sku: 'Artikel' } } })).data).toMatchObject({
    previewImport: { fields: [{ path: 'mapping.quantity' }] },
  });
  expect((await ask({})).data).toMatchObject({ previewImport: { fields: [{ path: 'settings' }] } });
  expect((await api.graphql('{ importProfiles { totalCount } }')).data).toEqual({ importProfiles: { totalCount: 0 } });
});

test('the targets of imports are listed with their fields', async ({ api }) => {
  const { data } = await api.graphql('{ importTargets { name fields { name isRequired isKey default } } }');
  expect(data['importTargets']).toContainEqual({
    name: 'stock',
    fields: [
      { name: 'sku', isRequired: true, isKey: true, default: null },
      { name: 'location', isRequired: false, isKey: true, default: 'main' },
      { name: 'quantity', isRequired: true, isKey: false, default: null },
    ],
  });
});
