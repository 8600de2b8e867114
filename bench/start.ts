import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { note, printFigure } from './lib/figure.ts';
import { significant, summarise } from './lib/stats.ts';
import { startWholeProduct } from './lib/whole-product.ts';

/** From starting the process on an existing data directory to /readyz 200. `node bench/start.ts [starts]` */
const [starts = 5] = process.argv.slice(2).map(Number);

const dataDir = await mkdtemp(join(tmpdir(), 'causeway-bench-start-'));
try {
  note('First start, on an empty data directory ...');
  const first = await startWholeProduct(dataDir);
  await first.stop();
  const times: number[] = [];
  for (let n = 0; n < starts; n += 1) {
    const product = await startWholeProduct(dataDir);
    times.push(product.readyMs);
    await product.stop();
  }
  const { p50, max } = summarise(times);
  printFigure({
    figure: 'start-existing-data',
    value: p50,
    unit: 'ms',
    reach: { of: 'value', atMost: 5_000 },
    detail: { starts, maxMs: significant(max), firstStartMs: significant(first.readyMs) },
  });
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
