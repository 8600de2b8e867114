import { expect, test } from 'vitest';
import { createOfflineBroker } from '#workers/runtime/tenant-broker.ts';

const { signal } = new AbortController();

test('code that may reach nothing is refused by its broker, even if it takes its process over', async () => {
  const broker = createOfflineBroker(undefined);
  const calls = [
    broker.http({ method: 'GET', url: 'https://example.com', headers: {}, query: {}, answer: 'content' }, signal),
    broker.credential('key', 'token', signal),
    broker.state.get('orders', 'a', signal),
    broker.state.set('orders', 'a', 1, {}, signal),
    broker.state.delete('orders', 'a', {}, signal),
    broker.files.read('file_0123456789012345678901', 0, 1, signal),
  ];
  for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
