import { declarations } from '#src/domains/domains.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { printFigure } from './lib/figure.ts';
import { measureFirstNode } from './lib/first-node.ts';
import { withPostgres } from './lib/postgres.ts';

/**
 * From sending a webhook to the start of its first node, on an idle system, beside the commit of one row on the same server.
 * `node bench/runs-latency.ts [firings] [pause ms]`
 */
const [firings = 300, pauseMs = 30] = process.argv.slice(2).map(Number);

await withPostgres(async (postgres) => {
  const url = await postgres.createDatabase('runs_latency');
  await migrate(url, declarations.jobs);
  const { waits, commits } = await measureFirstNode(url, { firings, pauseMs });
  const against = { name: 'raw INSERT commit p50', value: commits.p50 };
  const detail = { firings, commitP99Ms: commits.p99 };
  const [half, worst] = [{ of: 'value', atMost: 10 } as const, { of: 'value', atMost: 40 } as const];
  printFigure({ figure: 'first-node-p50', value: waits.p50, unit: 'ms', against, reach: half, detail });
  printFigure({ figure: 'first-node-p99', value: waits.p99, unit: 'ms', against, reach: worst, detail });
});
