import { expect, test } from 'vitest';
import { inTime, OutOfTurn, takeTurns } from '#src/imports/merging/pair-runner.rules.ts';

const idle = (cores: number) => () => () => cores;

test('works end in their order, and are in pairs once a core was idle beside one that was alone', async () => {
  const found = [0.2, 0.9, 0.1, 0.1];
  const turns = takeTurns(() => () => found.shift() ?? 0);
  const ended: number[] = [];
  const beside: number[] = [];
  let under = 0;
  for (let n = 1; n <= 12; n += 1)
    await turns.add(async (before) => {
      under += 1;
      beside.push(under);
      await before;
      await new Promise((resolve) => setTimeout(resolve, 1));
      under -= 1;
      ended.push(n);
    });
  await turns.ended();
  expect(ended).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  expect(beside).toEqual([1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 1, 1]);
});

test('works fail with the one before them', async () => {
  const turns = takeTurns(idle(1));
  const failure = new Error('It is lost.');
  await turns.add(async () => undefined);
  await turns.add(async (before) => {
    await before;
    throw failure;
  });
  await expect(turns.add((before) => inTime(before))).rejects.toBe(failure);
  await expect(turns.ended()).rejects.toBe(failure);
  await turns.settled();
});

test('a work that holds locks does not wait for long', async () => {
  await expect(inTime(new Promise(() => undefined))).rejects.toThrow(OutOfTurn);
  await inTime(Promise.resolve());
});
