/**
 * Frames a second of the run list while it is scrolled and its runs change. `node bench/console-scroll.ts [runs] [changes a second] [seconds] [rounds]`
 */
import type { Page } from 'playwright-core';
import { withConsole } from './lib/console-browser.ts';
import { note, printFigure } from './lib/figure.ts';
import { pageProcessorMs, scrollFrames } from './lib/frame-watch.ts';
import { withPostgres } from './lib/postgres.ts';
import { fillLiveRuns, liveTenant, openRunPublisher, type RunPublisher } from './lib/run-publisher.ts';
import { significant, summarise } from './lib/stats.ts';

const [runs = 10_000, perSecond = 400, seconds = 5, rounds = 3] = process.argv.slice(2).map(Number);
const commitsPerSecond = 20;

await withPostgres(async (postgres) => {
  const databaseUrl = await postgres.createDatabase('console_scroll');
  await fillLiveRuns(databaseUrl, runs);
  const publisher = await openRunPublisher(databaseUrl);
  // Without a worker, which would take up the runs.
  await withConsole({ databaseUrl, org: liveTenant.orgId, env: { ROLE: 'api' } }, async ({ url, openWindow }) => {
    const window = await openWindow();
    const page = await window.newPage();
    await page.goto(`${url}t/${liveTenant.tenantId}/runs`);
    await loadAll(page);
    const still: number[] = [];
    const busy: number[] = [];
    const processorMs: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      await page.keyboard.press('Home');
      still.push(framesPerSecond(await scrollFrames(page, seconds)));
      await page.keyboard.press('Home');
      const change = startChanges(publisher);
      const processorBefore = await pageProcessorMs(page);
      const frames = await scrollFrames(page, seconds);
      processorMs.push(significant(((await pageProcessorMs(page)) - processorBefore) / frames.length, 3));
      busy.push(framesPerSecond(frames));
      const changed = await change.stop();
      note(`Round ${round}: ${busy.at(-1)} frames/s with ${changed} changes/s, ${still.at(-1)} without`);
    }
    printFigure({
      figure: 'console-scroll',
      value: Math.max(...busy),
      unit: 'frames/s',
      against: { name: 'the same list without changes', value: Math.max(...still) },
      reach: { of: 'value', atLeast: 55 },
      detail: { runs, perSecond, seconds, busy, still, processorMsPerFrame: processorMs },
    });
  });
  await publisher.close();
});

/** Goes to the end of the list until there is no further page. */
async function loadAll(page: Page): Promise<void> {
  const grid = page.getByRole('grid');
  await grid.waitFor({ timeout: 60_000 });
  await grid.focus();
  for (let presses = 0; (await grid.getAttribute('aria-rowcount')) === '-1'; presses += 1) {
    if (presses > runs) throw new Error('The list does not come to its end.');
    await page.keyboard.press('End');
    await page.waitForTimeout(20);
  }
}

/** Changes runs at the rate, until it is stopped; then returns how many changed in a second. */
function startChanges(publisher: RunPublisher) {
  const began = performance.now();
  let changed = 0;
  const over = new AbortController();
  const changing = (async () => {
    while (!over.signal.aborted) {
      const due = Math.floor(((performance.now() - began) / 1_000) * perSecond) - changed;
      if (due > 0) await publisher.publish(due, perSecond / commitsPerSecond);
      changed += Math.max(0, due);
      await new Promise((resolve) => setTimeout(resolve, 1_000 / commitsPerSecond));
    }
  })();
  return {
    async stop(): Promise<number> {
      over.abort();
      await changing;
      return significant((changed / (performance.now() - began)) * 1_000, 3);
    },
  };
}

function framesPerSecond(frames: readonly number[]): number {
  return significant(1_000 / summarise(frames).mean, 3);
}
