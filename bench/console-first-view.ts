import { type ConsoleBrowser, withConsole } from './lib/console-browser.ts';
/**
 * What the console takes to show the run list, from a cold cache and signed in, then each other screen, and what a page asks for that is
 * left open. `node bench/console-first-view.ts [rounds] [idle minutes]`
 */
import { openList, openPlaces, type View } from './lib/console-views.ts';
import { note, printFigure } from './lib/figure.ts';
import { watchTraffic } from './lib/page-traffic.ts';
import { withPostgres } from './lib/postgres.ts';
import { fillLiveRuns, liveTenant } from './lib/run-publisher.ts';
import { significant } from './lib/stats.ts';

const [rounds = 5, idleMinutes = 3] = process.argv.slice(2).map(Number);
const runList = `t/${liveTenant.tenantId}/runs`;

await withPostgres(async (postgres) => {
  const databaseUrl = await postgres.createDatabase('console');
  await fillLiveRuns(databaseUrl, 1_000);
  await withConsole({ databaseUrl, org: liveTenant.orgId, env: { ROLE: 'api' } }, async (opened) => {
    const first: View[] = [];
    const further = new Map<string, View[]>();
    for (let round = 1; round <= rounds; round += 1) {
      const window = await opened.openWindow();
      const page = await window.newPage();
      const traffic = await watchTraffic(page);
      const view = await openList(page, opened.url + runList, traffic);
      first.push(view);
      for (const [place, seen] of await openPlaces(page, traffic))
        further.set(place, [...(further.get(place) ?? []), seen]);
      note(`Round ${round}: rows after ${significant(view.ms, 3)} ms and ${view.requests} requests`);
      await window.close();
    }
    printFirst(first);
    printFurther(further);
    if (idleMinutes > 0) await measureIdle(opened);
  });
});

/** The best of the rounds, because noise only adds. */
function printFirst(views: readonly View[]): void {
  const best = (read: (view: View) => number): number => Math.min(...views.map(read));
  const detail = { rounds, ms: views.map(({ ms }) => Math.round(ms)) };
  const value = best(({ ms }) => ms);
  printFigure({ figure: 'console-first-rows', value, unit: 'ms', reach: { of: 'value', atMost: 800 }, detail });
  printFigure({
    figure: 'console-first-requests',
    value: Math.max(...views.map(({ requests }) => requests)),
    unit: 'requests, the socket included',
    reach: { of: 'value', atMost: 12 },
  });
  printFigure({
    figure: 'console-first-bytes',
    value: best(({ kilobytes }) => kilobytes),
    unit: 'kB of script and style in gzip',
    reach: { of: 'value', atMost: 180 },
  });
}

/** The worst of the screens, each at its best. */
function printFurther(screens: ReadonlyMap<string, readonly View[]>): void {
  const best = [...screens].map(([place, views]) => ({
    place: place.slice(place.lastIndexOf('/') + 1),
    ms: Math.round(Math.min(...views.map(({ ms }) => ms))),
    kB: significant(Math.max(...views.map(({ kilobytes }) => kilobytes)), 3),
  }));
  const detail = { rounds, screens: best };
  printFigure({
    figure: 'console-further-screen',
    value: Math.max(...best.map(({ ms }) => ms)),
    unit: 'ms of the slowest screen',
    reach: { of: 'value', atMost: 300 },
    detail,
  });
  printFigure({
    figure: 'console-further-bytes',
    value: Math.max(...best.map(({ kB }) => kB)),
    unit: 'kB of script in gzip of the largest screen',
    reach: { of: 'value', atMost: 60 },
  });
}

async function measureIdle({ url, openWindow }: ConsoleBrowser): Promise<void> {
  const window = await openWindow();
  const page = await window.newPage();
  const traffic = await watchTraffic(page);
  await openList(page, url + runList, traffic);
  await page.waitForTimeout(2_000);
  traffic.reset();
  note(`Leaving the run list open for ${idleMinutes} minutes ...`);
  await page.waitForTimeout(idleMinutes * 60_000);
  const asked = traffic.urls().map((address) => new URL(address).pathname);
  printFigure({
    figure: 'console-idle-requests',
    value: asked.length / idleMinutes,
    unit: 'requests a minute',
    reach: { of: 'value', atMost: 1 },
    detail: { minutes: idleMinutes, asked },
  });
  await window.close();
}
