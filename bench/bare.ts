/**
 * Requests a second of the bare list handler, alone, over a million runs of a hundred tenants.
 * `node bench/bare.ts [seconds] [connections] [pool] [runs]`
 */
import { measureBare } from './lib/bare-rate.ts';
import { note, printFigure } from './lib/figure.ts';
import { withPostgres } from './lib/postgres.ts';
import { fillRuns, plainRunsSchema } from './lib/runs-table.ts';
import { significant } from './lib/stats.ts';

const [seconds = 10, connections = 16, poolSize = 10, runs = 1_000_000] = process.argv.slice(2).map(Number);
const size = { runs, tenants: 100, workflowsPerTenant: 20 };

await withPostgres(async (postgres) => {
  const databaseUrl = await postgres.createDatabase('bare_bench');
  note(`Filling ${runs} runs of ${size.tenants} tenants ...`);
  await fillRuns(databaseUrl, plainRunsSchema, size);
  note(`Bare handler: ${seconds} s over ${connections} connections ...`);
  const load = await measureBare(databaseUrl, plainRunsSchema, size, { seconds, connections, poolSize });
  const page: { data: { runs: { edges: unknown[] } } } = JSON.parse(load.sample);
  printFigure({
    figure: 'bare-newest-runs',
    value: load.rps,
    unit: 'requests/s',
    detail: {
      p50Ms: significant(load.latencyMs.p50, 3),
      p99Ms: significant(load.latencyMs.p99, 3),
      rows: page.data.runs.edges.length,
      bodyBytes: load.bodyBytes,
      runs,
      connections,
      poolSize,
      generatorLoad: significant(load.generatorLoad, 2),
    },
  });
});
