import { note, printFigure } from './lib/figure.ts';
import { measureFirstNode } from './lib/first-node.ts';
import { withPostgres } from './lib/postgres.ts';
import { fillProductRuns } from './lib/product-runs.ts';

/**
 * How much longer a run waits for its first node when the tables hold a hundred times as many runs.
 * `node bench/start-growth.ts [firings] [small] [large]`
 */
const [firings = 300, small = 10_000, large = 1_000_000] = process.argv.slice(2).map(Number);

await withPostgres(async (postgres) => {
  const measure = async (runs: number) => {
    note(`${runs} runs: filling, then ${firings} firings ...`);
    const url = await postgres.createDatabase(`growth_${runs}`);
    await fillProductRuns(url, { runs, tenants: 100, workflowsPerTenant: 10 });
    return measureFirstNode(url, { firings, pauseMs: 30 });
  };
  const before = await measure(small);
  const after = await measure(large);
  printFigure({
    figure: 'start-growth-p99',
    value: after.waits.p99,
    unit: 'ms',
    against: { name: `p99 with ${small} runs`, value: before.waits.p99 },
    reach: { of: 'ratio', atMost: 1.5 },
    detail: {
      firings,
      p50Ms: [before.waits.p50, after.waits.p50],
      commitP99Ms: [before.commits.p99, after.commits.p99],
    },
  });
});
