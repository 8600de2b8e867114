import { expect, test } from 'vitest';
import { waitWithTimeout, WaitTimeout, createPairRunner } from '#src/imports/merging/pair-runner.rules.ts';

test('runs work in order, one at a time or in pairs', async () => {
  for (const inPairs of [false, true]) {
    const pairs = createPairRunner(inPairs);
    const ended: number[] = [];
    const beside: number[] = [];
    let under = 0;
    for (let n = 1; n <= 4; n += 1)
      await pairs.add(async (before) => {
        under += 1;
        beside.push(under);
        await before;
        await new Promise((resolve) => setTimeout(resolve, 1));
        under -= 1;
        ended.push(n);
      });
    await pairs.ended();
    expect(ended).toEqual([1, 2, 3, 4]);
    expect(beside).toEqual(inPairs ? [1, 2, 2, 2] : [1, 1, 1, 1]);
  }
});

test('fails work whose predecessor failed', async () => {
  const pairs = createPairRunner(true);
  const failure = new Error('It is lost.');
  await pairs.add(async () => undefined);
  await pairs.add(async (before) => {
    await before;
    throw failure;
  });
  await expect(pairs.add((before) => waitWithTimeout(before))).rejects.toBe(failure);
  await expect(pairs.ended()).rejects.toBe(failure);
  await pairs.settled();
});

test('stops waiting after a second, because the work holds locks', async () => {
  await expect(waitWithTimeout(new Promise(() => undefined))).rejects.toThrow(WaitTimeout);
  await waitWithTimeout(Promise.resolve());
});
