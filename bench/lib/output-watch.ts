import type { Page } from 'playwright-core';

/** Presses a step of the timeline; returns the milliseconds to the frame that shows the rows of its outputs. */
export const showStep = (page: Page, step: string): Promise<number> =>
  page.evaluate(
    (name) =>
      new Promise<number>((done) => {
        const button = [...document.querySelectorAll<HTMLElement>('.timeline-step')].find(
          (each) => each.querySelector('.timeline-name')?.textContent === name,
        );
        const began = performance.now();
        const look = (): void => {
          const isShown = document.querySelector('.step-part[aria-label="Outputs"] .json-row') !== null;
          requestAnimationFrame(isShown ? () => done(performance.now() - began) : look);
        };
        button?.click();
        look();
      }),
    step,
  );

/** Types into the search of the outputs that are shown; returns the milliseconds from each key to the end of its frame. */
export async function keyTimes(page: Page, text: string): Promise<number[]> {
  const search = page.locator('.step-part[aria-label="Outputs"]').getByRole('searchbox');
  await search.evaluate((field) => {
    const times: number[] = [];
    Object.assign(globalThis, { benchKeys: times });
    field.addEventListener('keydown', ({ timeStamp }) => {
      requestAnimationFrame(() => setTimeout(() => times.push(performance.now() - timeStamp)));
    });
  });
  await search.focus();
  await page.keyboard.type(text, { delay: 120 });
  await page.waitForTimeout(500);
  return page.evaluate(() => (globalThis as unknown as { benchKeys: number[] }).benchKeys);
}
