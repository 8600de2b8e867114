import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runNode } from '@causeway/node-kit/testing';
import { startErp } from '../erp/server.ts';
import type { Erp } from '../erp/server.ts';
import * as createOrder from '../nodes/create-order.ts';

let erp: Erp;
before(async () => {
  erp = await startErp();
});
after(() => erp.close());

void test('an order repeated with its idempotency key is created once', async () => {
  const options = {
    config: { base_url: erp.url, order: { number: '10001', positions: [{ sku: 'CHAIR-01', quantity: '2' }] } },
    idempotencyKey: 'run-1/create_order',
  };
  const first = await runNode(createOrder, options);
  const second = await runNode(createOrder, options);
  assert.equal(first.outputs.erp_number, 'ERP-000001');
  assert.deepEqual(second.outputs, first.outputs);
  assert.equal(erp.receipts.length, 1);
});

void test('an order without positions fails before the ERP is asked', async () => {
  const config = { base_url: erp.url, order: { number: '10002', positions: [] } };
  await assert.rejects(runNode(createOrder, { config }), { code: 'INVALID_ORDER' });
});
