/**
 * Measures the image without a container engine: its size, and the time from the start of its API, and of its worker, until /readyz answers
 * 200. Each starts alone on a migrated database. The image's files run on a read-only root file system as the image's user, with an empty
 * /tmp at every start. Run it as root:
 * `node bench/image-start.ts [starts=5]`
 */
import { statSync } from 'node:fs';
import { declarations } from '#src/domains/domains.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { imageSettings, type LaidOutImage, layOutImage } from '#test/deploy/image/laid-out-image.ts';
import { startPostgresProxy } from '#test/setup/postgres-proxy.ts';
import { note, printFigure } from './lib/figure.ts';
import { withPostgres } from './lib/postgres.ts';
import { findFamily, processorSeconds } from './lib/processes.ts';
import { median, significant, summarise } from './lib/stats.ts';
import { freePort, untilReady } from './lib/whole-product.ts';

const [starts = 5] = process.argv.slice(2).map(Number);
/**
 * The size of node:24-bookworm-slim without the program `node`, which is measured here: 75 MB for the packages of Debian slim, and 30 MB
 * for npm, yarn and the headers of Node. It is an estimate, because the bench has no container engine to ask.
 */
const baseMegabytes = 105;

async function measureStarts(image: LaidOutImage, databaseUrl: string, role: 'api' | 'worker') {
  const times: number[] = [];
  const processor: number[] = [];
  for (let n = 0; n < starts; n += 1) {
    const [port, metricsPort] = [await freePort(), await freePort()];
    const began = performance.now();
    const started = image.start({
      ...imageSettings,
      DATABASE_URL: databaseUrl,
      ROLE: role,
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
    });
    let code: number | null = null;
    void started.ended.then((ended) => (code = ended ?? 1));
    try {
      times.push(await untilReady(metricsPort, began, () => code));
      processor.push(processorSeconds(findFamily(started.pid)));
    } catch (error) {
      note(started.output());
      throw error;
    } finally {
      started.stop();
      await started.ended;
    }
  }
  const { p50, max } = summarise(times);
  printFigure({
    figure: `image-start-${role}`,
    value: p50,
    unit: 'ms',
    reach: { of: 'value', atMost: 5_000 },
    detail: { starts, maxMs: significant(max), processorMs: significant(1_000 * median(processor)) },
  });
}

note('Laying out the image ...');
const image = await layOutImage();
try {
  const files = await image.megabytes();
  const node = Math.round(statSync(process.execPath).size / 2 ** 20);
  printFigure({
    figure: 'image-size',
    value: files + node + baseMegabytes,
    unit: 'MB',
    reach: { of: 'value', atMost: 400 },
    detail: { files, node, estimateOfTheRest: baseMegabytes },
  });
  await withPostgres(async (postgres) => {
    const url = new URL(await postgres.createDatabase('image'));
    await migrate(url.href, declarations.jobs);
    // The image's user may not enter the folder that holds the socket of Postgres.
    const proxy = await startPostgresProxy(`${url.searchParams.get('host')}/.s.PGSQL.${url.port || 5_432}`);
    try {
      const onPort = `postgresql://${url.username}@127.0.0.1:${proxy.port}${url.pathname}`;
      await measureStarts(image, onPort, 'api');
      await measureStarts(image, onPort, 'worker');
    } finally {
      await proxy.close();
    }
  });
} finally {
  await image.remove();
}
