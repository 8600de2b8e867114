import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { note, printFigure } from './lib/figure.ts';
import { runLoad } from './lib/load.ts';
import { significant } from './lib/stats.ts';
import { startWholeProduct } from './lib/whole-product.ts';

/**
 * Memory of every process of the product after many runs, and how much of it the last half added.
 * `node bench/memory.ts [runs]`
 */
const [runs = 100_000] = process.argv.slice(2).map(Number);
const rounds = 10;
const settleMs = 3_000;
const buildLimitMs = 30_000;

const dataDir = await mkdtemp(join(tmpdir(), 'causeway-bench-memory-'));
try {
  const product = await startWholeProduct(dataDir);
  const headers = await product.headersFor('demo');
  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(`http://127.0.0.1:${product.port}/api/v1${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  };
  const node = (id: string) => ({ id, node: 'core:emit-event', version: '1.0.0', config: { topic: 'bench.step' } });
  const blob = {
    version: 'v1',
    nodes: ['a', 'b', 'c'].map(node),
    edges: [
      { from: { node: 'a' }, to: 'b' },
      { from: { node: 'b' }, to: 'c' },
    ],
  };
  const { id } = await call<{ id: number }>('POST', '/workflows', { name: 'Memory', blob });
  const { handle } = await call<{ handle: string }>('POST', `/workflows/${id}/triggers`, {
    type: 'webhook',
    name: 'Fire',
  });
  for (const end = Date.now() + buildLimitMs; Date.now() < end; await delay(50)) {
    if ((await call<{ bundle: { status: string } }>('GET', `/workflows/${id}`)).bundle.status === 'ready') break;
  }

  const samples: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const load = await runLoad({
      port: product.port,
      requests: [{ method: 'POST', path: `/api/v1/webhooks/${handle}`, headers, body: '{"number":"SO-1"}' }],
      connections: 32,
      durationMs: 300_000,
      maxRequests: runs / rounds,
    });
    if (load.errors > 0) throw new Error(`${load.errors} firings were refused: ${JSON.stringify(load.errorKinds)}`);
    for (;;) {
      const { data } = await call<{ data: { by_status: Record<string, number> } }>(
        'GET',
        `/runs/summary?workflow_id=${id}`,
      );
      if ((data.by_status['queued'] ?? 0) + (data.by_status['running'] ?? 0) === 0) break;
      await delay(250);
    }
    await delay(settleMs);
    samples.push(product.memory());
    note(`${((round + 1) * runs) / rounds} runs: ${Math.round(samples.at(-1) ?? 0)} MiB`);
  }
  await product.stop();
  const half = samples[rounds / 2 - 1] ?? Number.NaN;
  const last = samples.at(-1) ?? Number.NaN;
  const detail = { runs, samplesMiB: samples.map((sample) => Math.round(sample)) };
  printFigure({ figure: 'memory', value: last, unit: 'MiB', reach: { of: 'value', atMost: 600 }, detail });
  printFigure({
    figure: 'memory-growth',
    value: last,
    unit: 'MiB',
    against: { name: 'after half of the runs', value: significant(half) },
    reach: { of: 'ratio', atMost: 1.1 },
    detail,
  });
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
