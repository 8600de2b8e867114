import type { Page } from 'playwright-core';

/** Milliseconds from the press of the page's link to the editor to the frame that shows so many nodes. */
export const pressEditor = (page: Page, nodes: number): Promise<number> =>
  untilDrawn(page, nodes, () => document.querySelector<HTMLElement>('a[href*="/editor/"]')?.click());

/** Milliseconds from the key that shows the whole graph to the frame that has all of its nodes. */
export const pressShowAll = (page: Page, nodes: number): Promise<number> =>
  untilDrawn(page, nodes, () => {
    const canvas = document.querySelector<HTMLElement>('[aria-label="Graph of the workflow"]');
    canvas?.focus();
    canvas?.dispatchEvent(new KeyboardEvent('keydown', { key: '0', bubbles: true }));
  });

async function untilDrawn(page: Page, nodes: number, press: () => void): Promise<number> {
  const pressed = await page.evaluateHandle(`(${press.toString()})`);
  const milliseconds = await pressed.evaluate(
    (act, count) =>
      new Promise<number>((done, fail) => {
        const began = performance.now();
        const look = (): void => {
          const drawn = document.querySelectorAll('.editor-node').length;
          const now = performance.now() - began;
          if (now > 120_000) fail(new Error(`${drawn} of ${count} nodes were drawn within two minutes.`));
          else if (drawn >= count) done(now);
          // A task after a frame sees what that frame has drawn.
          else requestAnimationFrame(() => setTimeout(look));
        };
        (act as () => void)();
        look();
      }),
    nodes,
  );
  await pressed.dispose();
  return milliseconds;
}

/** From now on notes the milliseconds from each event of a kind to the end of its frame. Returns the function that reads the notes. */
export async function noteFrames(page: Page, kind: 'keydown' | 'pointerup'): Promise<() => Promise<number[]>> {
  await page.evaluate((event) => {
    const times: number[] = [];
    Object.assign(globalThis, { [`${event}Times`]: times });
    addEventListener(
      event,
      ({ timeStamp }) => {
        requestAnimationFrame(() => setTimeout(() => times.push(performance.now() - timeStamp)));
      },
      { capture: true },
    );
  }, kind);
  return () =>
    page.evaluate(
      (event) => (globalThis as unknown as Record<string, number[]>)[`${event}Times`]?.splice(0) ?? [],
      kind,
    );
}

/** Elements of the page, and megabytes of its heap after a collection. */
export async function pageSize(page: Page): Promise<{ elements: number; heap: number }> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('HeapProfiler.collectGarbage');
  const { usedSize } = await cdp.send('Runtime.getHeapUsage');
  await cdp.detach();
  return { elements: await page.locator('*').count(), heap: usedSize / 1_000_000 };
}

/** From now on notes each text that an element shows, with the time of day in milliseconds. Returns the function that reads the notes. */
export async function noteTexts(page: Page, selector: string): Promise<() => Promise<{ text: string; at: number }[]>> {
  await page.evaluate((at) => {
    const notes: { text: string; at: number }[] = [];
    Object.assign(globalThis, { benchTexts: notes });
    let last: string | null | undefined;
    const look = (): void => {
      const text = document.querySelector(at)?.textContent;
      if (typeof text === 'string' && text !== last) notes.push({ text, at: Date.now() });
      last = text;
      requestAnimationFrame(() => setTimeout(look));
    };
    look();
  }, selector);
  return () =>
    page.evaluate(() => (globalThis as unknown as { benchTexts: { text: string; at: number }[] }).benchTexts.splice(0));
}
