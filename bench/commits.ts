import { measureCommits } from './lib/commit-latency.ts';
/**
 * The cost of a durable commit on this machine, alone and shared: `node bench/commits.ts [seconds]`. Run it beside any figure of the
 * engine: it is the lower bound.
 */
import { note, printFigure } from './lib/figure.ts';
import { withPostgres } from './lib/postgres.ts';
import { significant } from './lib/stats.ts';

const [seconds = 5] = process.argv.slice(2).map(Number);
const durationMs = seconds * 1000;
const loads = [
  { committers: 1, rowsPerCommit: 1 },
  { committers: 8, rowsPerCommit: 1 },
  { committers: 32, rowsPerCommit: 1 },
  { committers: 1, rowsPerCommit: 32 },
  { committers: 2, rowsPerCommit: 32 },
  { committers: 2, rowsPerCommit: 128 },
];

await withPostgres(async (postgres) => {
  const databaseUrl = await postgres.createDatabase('commits_bench');
  for (const load of loads) {
    note(`${load.committers} committers, ${load.rowsPerCommit} rows a commit, ${seconds} s ...`);
    const { commits, perSecond, latencyMs } = await measureCommits(databaseUrl, { ...load, durationMs });
    printFigure({
      figure: `commits-${load.committers}x${load.rowsPerCommit}`,
      value: perSecond,
      unit: 'commits/s',
      detail: {
        rowsPerSecond: significant(perSecond * load.rowsPerCommit),
        p50Ms: significant(latencyMs.p50, 3),
        p99Ms: significant(latencyMs.p99, 3),
        commits,
      },
    });
  }
});
