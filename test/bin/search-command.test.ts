import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { runCauseway } from '#bin/causeway.ts';
import { test } from '#test/setup/app-test.ts';

test('search prints what it finds, a line each, and refuses what it cannot send', async ({ api }) => {
  await api.app.listen({ host: '127.0.0.1', port: 0 });
  const env = {
    CAUSEWAY_URL: `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}`,
    CAUSEWAY_TENANT: 'acme-shop',
    CAUSEWAY_TOKEN: await api.token({ roles: ['user'] }),
  };
  const search = async (...argv: string[]) => {
    const outcome = { code: 0, out: '', err: '' };
    outcome.code = await runCauseway(['search', ...argv], {
      out: (text) => void (outcome.out += text),
      err: (text) => void (outcome.err += text),
      cwd: '/',
      env,
    });
    return outcome;
  };
  const { data } = await api.graphql<{ createProduct: { product: { id: string } } }>(
    'mutation { createProduct(input: { sku: "MUG-1", name: "Blue mug" }) { ... on CreateProductPayload { product { id } } } }',
  );
  const nodeId = data.createProduct.product.id;

  expect(await search('mug')).toEqual({ code: 0, err: '', out: `product    ${nodeId}  Blue mug  (MUG-1)\n` });
  expect(await search('lue mug', '--kind', 'order')).toEqual({ code: 0, err: '', out: 'Nothing found.\n' });
  const json = await search('mug', '--kind', 'product', '--kind', 'customer', '--first', '5', '--json');
  expect(JSON.parse(json.out)).toEqual({
    isPartial: false,
    results: [{ kind: 'PRODUCT', nodeId, title: 'Blue mug', subtitle: 'MUG-1', rank: 80 }],
  });
  expect(await search('mug', '--kind', 'api-key')).toMatchObject({
    code: 1,
    err: expect.stringContaining('unauthorized'),
  });
  expect(await search('blue', 'mug')).toMatchObject({ code: 2, err: expect.stringContaining('in quotes') });
  expect(await search('mug', '--first', 'x')).toMatchObject({ code: 2 });
  expect(await search('x'.repeat(192))).toMatchObject({ code: 1, err: expect.stringContaining('191') });
  expect(await search('--help')).toMatchObject({ code: 0, out: expect.stringContaining('--kind') });
});
