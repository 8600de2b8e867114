import { describe, expect, onTestFinished, test } from 'vitest';
import { sanitiseFragment } from '#src/themes/sanitiser/sanitise-fragment.ts';
import { createSanitiser, TooSlowError } from '#src/themes/sanitiser/sanitiser.ts';
import { TooDeepError } from '#src/themes/sanitiser/too-deep-error.ts';

const site = { vendor: 'acme', origin: 'https://shop.example' };
const later = () => performance.now() + 60_000;

function open(options: Parameters<typeof createSanitiser>[0] = {}) {
  const sanitiser = createSanitiser(options);
  onTestFinished(() => sanitiser.close());
  return sanitiser;
}

const list = (items: number): string => `<ul onclick="x()">${'<li>Größe 36 &amp; <b>mehr</b></li>'.repeat(items)}</ul>`;

/** One element with so many attributes takes seconds. */
const heavy = `<p ${Array.from({ length: 400_000 }, (_, at) => `data-a${at}=x`).join(' ')}>`;

/** How often the event loop turns while something is under way; once, where that holds it. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const turn = (): void => {
    turns += 1;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  await work.finally(() => (isDone = true));
  return turns;
}

describe('a sanitiser', () => {
  test.each([1, 1_000])('returns the bytes of the sanitised fragment, for a list of %i', async (items) => {
    const html = list(items);
    const sanitised = await open().sanitise(html, site, later());
    expect(sanitised.toString('utf8')).toBe(sanitiseFragment(html, site));
  });

  test('does not delay the first fragments until a thread has started', async () => {
    const html = list(500);
    const sanitised = await open().sanitise(html, site, performance.now());
    expect(sanitised.toString('utf8')).toBe(sanitiseFragment(html, site));
  });

  test('does other work meanwhile', async () => {
    const sanitiser = open();
    expect(await turnsDuring(sanitiser.sanitise(list(2_500), site, later()))).toBeGreaterThan(10);
  });

  test.each([600, 80_000])('refuses fragments that are nested too deeply, %i times', async (depth) => {
    await expect(open().sanitise('<b>'.repeat(depth), site, later())).rejects.toThrow(TooDeepError);
  });

  test('ends the thread of a fragment that takes too long, and continues', async () => {
    const sanitiser = open({ threads: 1, limitMs: 500 });
    const refused = sanitiser.sanitise(heavy, site, later());
    await expect(refused).rejects.toThrow(TooSlowError);
    await expect(refused).rejects.toMatchObject({ isHeavy: true });
    const html = list(1_000);
    const sanitised = await sanitiser.sanitise(html, site, later());
    expect(sanitised.toString('utf8')).toBe(sanitiseFragment(html, site));
  });

  test('leaves threads for other vendors, whatever one of them sends', { timeout: 120_000 }, async () => {
    const sanitiser = open({ threads: 2, limitMs: 60_000 });
    const settled: string[] = [];
    const noted = (name: string, work: Promise<unknown>) => work.catch(() => undefined).then(() => settled.push(name));
    const all = [
      ...[1, 2, 3].map(() => noted('heavy', sanitiser.sanitise(heavy, site, later()))),
      noted('light', sanitiser.sanitise(list(1_000), { ...site, vendor: 'other' }, later())),
    ];
    await Promise.race(all);
    expect(settled).toEqual(['light']);
  });

  test('refuses fragments that are not started in time, and those in progress when it is closed', async () => {
    const sanitiser = open({ threads: 1, limitMs: 60_000 });
    const begun = sanitiser.sanitise(heavy, site, later());
    const waiting = sanitiser.sanitise(list(1_000), site, performance.now() + 10);
    await expect(waiting).rejects.toMatchObject({ isHeavy: false });
    const closed = Promise.allSettled([begun]);
    await sanitiser.close();
    expect(await closed).toMatchObject([{ status: 'rejected', reason: { isHeavy: false } }]);
  });
});
