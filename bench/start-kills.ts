/**
 * Starts the product on a data directory whose processes were all killed together, like those of a container, and counts the successful
 * starts. Each runs in a pid namespace of its own, so that pids repeat, beside an unrelated process of Postgres's user whose pid is written
 * into the lock files that the killed server left. Needs Linux and root. `node bench/start-kills.ts [starts=50]`
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { note, printFigure } from './lib/figure.ts';
import { startScript } from './lib/start-script.ts';
import { significant, summarise } from './lib/stats.ts';
import { inNamespace, startWholeProduct } from './lib/whole-product.ts';

const [starts = 50] = process.argv.slice(2).map(Number);

const beStranger = `
  setpriv --reuid=65534 --regid=65534 --clear-groups sleep 1000 &
  for lock in "$DATA_DIR/postgres/postmaster.pid" "$DATA_DIR"/postgres.run/.s.PGSQL.*.lock; do
    [ ! -e "$lock" ] || sed -i "1s/.*/$!/" "$lock"
  done
`;

const dataDir = await mkdtemp(join(tmpdir(), 'causeway-bench-kills-'));
try {
  const times: number[] = [];
  let failed = 0;
  for (let n = 0; n <= starts; n += 1) {
    try {
      const product = await startWholeProduct(dataDir, inNamespace(beStranger + startScript));
      await product.kill();
      // The first start is on an empty directory, not after a kill.
      if (n > 0) times.push(product.readyMs);
    } catch (error) {
      failed += 1;
      note(`Start ${n} failed: ${(error as Error).message}`);
    }
  }
  const { p50, max } = summarise(times);
  printFigure({
    figure: 'starts-after-kills',
    value: starts - failed,
    unit: 'starts',
    reach: { of: 'value', atLeast: starts },
    detail: { starts, p50Ms: significant(p50), maxMs: significant(max) },
  });
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
