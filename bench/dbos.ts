import { measureDbos } from './lib/dbos-rate.ts';
/**
 * Durable workflows a second of the DBOS peer, alone. `node bench/dbos.ts [seconds] [connections] [pool] [processes]`
 */
import { note, printFigure } from './lib/figure.ts';
import { withPostgres } from './lib/postgres.ts';

const [seconds = 10, connections = 32, poolSize = 10, processes = 1] = process.argv.slice(2).map(Number);

await withPostgres(async (postgres) => {
  note(`DBOS: ${seconds} s of starts over ${connections} connections, then until all have finished ...`);
  const rate = await measureDbos(postgres, { seconds, connections, poolSize, processes });
  printFigure({ figure: 'dbos-three-steps', value: rate.perSecond, unit: 'workflows/s', detail: { ...rate } });
});
