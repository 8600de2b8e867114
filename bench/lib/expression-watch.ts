import type { Page } from 'playwright-core';

/** Notes the last key, and from it the milliseconds to the frame in which something is so for the first time. */
export async function watchAfterKeys(page: Page): Promise<{
  /** Presses a key; returns the milliseconds from it to the end of its frame, and to the frame in which an element has this text. */
  press: (key: string, selector: string, text: string) => Promise<{ frame: number; shown: number }>;
}> {
  await page.evaluate(() => {
    const state = { key: 0, frame: 0 };
    Object.assign(globalThis, { benchKeys: state });
    addEventListener(
      'keydown',
      ({ timeStamp }) => {
        state.key = timeStamp;
        requestAnimationFrame(() => setTimeout(() => (state.frame = performance.now() - timeStamp)));
      },
      { capture: true },
    );
  });
  return {
    async press(key, selector, text) {
      const shown = page.evaluate(
        ([selected = '', wanted = '']) =>
          new Promise<{ frame: number; shown: number }>((done, fail) => {
            const { benchKeys: state } = globalThis as unknown as { benchKeys: { key: number; frame: number } };
            const began = performance.now();
            const look = (): void => {
              const isShown = [...document.querySelectorAll(selected)].some((each) =>
                each.textContent?.includes(wanted),
              );
              const now = performance.now();
              if (isShown && state.key > began) done({ frame: state.frame, shown: now - state.key });
              else if (now > began + 60_000) fail(new Error(`${selected} did not come to have the text ${wanted}.`));
              else requestAnimationFrame(() => setTimeout(look));
            };
            look();
          }),
        [selector, text],
      );
      await page.keyboard.press(key);
      return shown;
    },
  };
}
