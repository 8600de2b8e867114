import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { createShop } from '#test/commerce/shop.ts';
import { test } from '#test/setup/app-test.ts';

test('an order has net, tax and gross of each tax rate as documented, however tax is rounded', async ({ api }) => {
  const { mutate, stocked, get } = createShop(api);
  const page = await readFile(new URL('../../../docs/orders.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split('\n## Tax by rate\n');
  const [, document = ''] = /^```graphql\n([^]*?)^```$/m.exec(section) ?? [];
  await stocked('TEA-9', '5', '7');
  await stocked('TEA-10', '5', '7');
  await stocked('MUG-1', '9', '19');
  for (const taxRounding of ['TOTAL', 'LINE']) {
    const [, shown = ''] = new RegExp(`^\`\`\`json ${taxRounding}\\n([^]*?)^\`\`\`$`, 'm').exec(section) ?? [];
    await mutate('updateCommerceSettings', { taxRounding }, 'commerceSettings { taxRounding }');
    const { data } = await api.graphql(document.replace('order {', 'order { databaseId'));
    const { databaseId, ...order } = (data['createOrder'] as unknown as { order: { databaseId: number } }).order;
    expect(order).toEqual(JSON.parse(shown));
    expect(await get(databaseId)).toMatchObject(order);
  }
});
