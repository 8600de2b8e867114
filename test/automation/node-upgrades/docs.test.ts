import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { packNodePackage } from '@causeway/node-kit/pack';
import { parse, validate } from 'graphql';
import { expect } from 'vitest';
import { registerNodePackage } from '#src/automation/packages/node-packages.service.ts';
import { packageArchive } from '#test/automation/packages/package-archive.ts';
import { test } from '#test/setup/app-test.ts';
import { schema } from '#test/setup/schema.ts';

const page = await readFile(new URL('../../../docs/node-upgrades.md', import.meta.url), 'utf8');
const documents = new Map(
  [...page.matchAll(/^```graphql (\S+)\n([\s\S]*?)^```$/gm)].map(([, name = '', text = '']) => [name, text]),
);
const erpFolder = fileURLToPath(new URL('../../../examples/erp-nodes/', import.meta.url));

test('the documents of the page upgrade a node of the example package with its migration', async ({ api }) => {
  for (const text of documents.values()) expect(validate(schema, parse(text))).toEqual([]);
  const run = async (name: string, variables: object) => {
    const { data, errors } = await api.graphql<Record<string, object>>(documents.get(name) as string, variables);
    expect(errors).toBeUndefined();
    return Object.values(data)[0];
  };
  const config = [
    { key: 'base_url', type: 'url', required: true },
    { key: 'sku', type: 'string', label: 'Article', required: true },
  ];
  const earlier = packageArchive({
    name: '@causeway-examples/erp-nodes',
    version: '1.0.0',
    namespace: 'erp',
    nodes: [{ name: 'get-stock', version: '1.0.0', manifest: { config } }],
  });
  await registerNodePackage(api.deps, { orgId: 'acme', archive: earlier });
  await registerNodePackage(api.deps, { orgId: 'acme', archive: await packNodePackage(erpFolder) });
  const stock = { base_url: 'https://erp.example.com', sku: '{{ trigger.payload.sku }}' };
  const node = { id: 'stock', node: 'erp:get-stock', version: '^1.0.0', config: stock };
  const { id } = await api.database.withTenant('acme-shop', (tx) =>
    tx.workflow.create({
      data: { tenantId: 'acme-shop', name: 'Stock', blob: { version: 'v1', nodes: [node], edges: [] } },
      select: { id: true },
    }),
  );
  const migrated = { base_url: stock.base_url, article: stock.sku };
  expect(await run('list', { id: Number(id) })).toMatchObject({
    totalCount: 1,
    edges: [
      {
        node: {
          path: 'stock',
          current: '1.0.0',
          newest: '2.0.0',
          state: 'READY',
          issues: [{ code: 'REQUIRED', field: 'config.article' }],
          migration: {
            changes: [
              { path: 'config.article', from: null, to: stock.sku },
              { path: 'config.sku', from: stock.sku, to: null },
            ],
            issues: [],
            error: null,
          },
          diff: { required: ['article'], fields: { removed: [{ key: 'sku' }] } },
        },
      },
    ],
  });
  expect(await run('upgrade', { input: { workflowId: Number(id), version: 0 } })).toMatchObject({
    upgraded: [{ path: 'stock', from: '^1.0.0', to: '^2.0.0', isMigrated: true, issues: [] }],
    refused: [],
    remaining: 0,
    draft: { version: 1, validation: { valid: true }, blob: { nodes: [{ version: '^2.0.0', config: migrated }] } },
  });
});
