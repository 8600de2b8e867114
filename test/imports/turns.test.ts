import { expect, test } from 'vitest';
import { inTime, OutOfTurn, takeTurns } from '#src/imports/bulk-jobs/turns.rules.ts';

test.for([true, false])('works end in their order, under way in pairs: %s', async (inPairs) => {
  const turns = takeTurns({ inPairs });
  const log: string[] = [];
  let under = 0;
  let most = 0;
  for (let n = 1; n <= 5; n += 1)
    await turns.add(async (before) => {
      most = Math.max(most, (under += 1));
      await new Promise((resolve) => setTimeout(resolve, n % 2 ? 20 : 1));
      await before;
      under -= 1;
      log.push(String(n));
    });
  await turns.ended();
  expect([log.join(''), most]).toEqual(['12345', inPairs ? 2 : 1]);
});

test('works fail with the one before them', async () => {
  const turns = takeTurns({ inPairs: true });
  const failure = new Error('It is lost.');
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
