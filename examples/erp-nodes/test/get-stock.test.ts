import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrateConfig } from '@causeway/node-kit/testing';
import * as getStock from '../nodes/get-stock.ts';

void test('a config of version 1 keeps its article, also where that is an expression', async () => {
  const config = { base_url: 'https://erp.example.com', sku: '{{ trigger.payload.sku }}', credential: 7 };
  assert.deepEqual(await migrateConfig(getStock, config, '1.0.0'), {
    base_url: 'https://erp.example.com',
    article: '{{ trigger.payload.sku }}',
    credential: 7,
  });
});
