import type { Page } from 'playwright-core';

/** Processor time of the pages of the browser so far, in milliseconds: a busy machine affects it little. */
export async function pageProcessorMs(page: Page): Promise<number> {
  const cdp = await page.context().browser()?.newBrowserCDPSession();
  const { processInfo = [] } = (await cdp?.send('SystemInfo.getProcessInfo')) ?? {};
  await cdp?.detach();
  return processInfo.filter(({ type }) => type === 'renderer').reduce((sum, { cpuTime }) => sum + cpuTime * 1_000, 0);
}

/** Turns the wheel over the middle of the list for so long, and returns the times between the frames that were drawn meanwhile, in milliseconds. */
export async function scrollFrames(page: Page, seconds: number): Promise<number[]> {
  await page.mouse.move(700, 500);
  return framesWhile(page, seconds, () => page.mouse.wheel(0, 240));
}

/** Calls `act` every 16 ms for the given seconds. Returns the milliseconds between each two frames that the page drew in that time. */
export async function framesWhile(
  page: Page,
  seconds: number,
  act: (times: number) => Promise<void>,
): Promise<number[]> {
  await page.evaluate(() => {
    const frames: number[] = [];
    Object.assign(globalThis, { benchFrames: frames });
    let last = performance.now();
    const next = (now: number): void => {
      frames.push(now - last);
      last = now;
      if ((globalThis as unknown as { benchFrames: number[] }).benchFrames === frames) requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });
  const until = Date.now() + seconds * 1_000;
  for (let times = 0; Date.now() < until; times += 1) {
    await act(times);
    await page.waitForTimeout(16);
  }
  return page.evaluate(() => (globalThis as unknown as { benchFrames: number[] }).benchFrames.slice(1));
}

/**
 * From now on notes for each text that `selector` finds when it was first there, in epoch milliseconds at the frame after. Returns the function
 * that reads the notes.
 */
export async function noteAppearances(page: Page, selector: string): Promise<() => Promise<Record<string, number>>> {
  await page.evaluate((selected) => {
    const seen: Record<string, number> = {};
    Object.assign(globalThis, { benchSeen: seen });
    const look = (): void => {
      const fresh = [...document.querySelectorAll(selected)]
        .map(({ textContent }) => textContent ?? '')
        .filter((text) => !(text in seen));
      if (fresh.length === 0) return;
      // Marked at once, because the frame may be later than the next change.
      for (const text of fresh) seen[text] = Infinity;
      requestAnimationFrame((now) => {
        for (const text of fresh) seen[text] = performance.timeOrigin + now;
      });
    };
    look();
    new MutationObserver(look).observe(document.body, {
      childList: true,
      subtree: true,
      characterData: true,
      attributes: true,
      attributeFilter: ['class'],
    });
  }, selector);
  return () => page.evaluate(() => (globalThis as unknown as { benchSeen: Record<string, number> }).benchSeen);
}
