import { expect, test } from 'vitest';
import { DiskWatch } from '#src/infra/postgres/connections/full-disk.ts';

const full = Object.assign(new Error('could not extend file'), { code: '53100' });

test('a disk counts as full from a refused write until a larger one fits', async () => {
  let failure: Error | undefined = full;
  let asked = 0;
  const watch = new DiskWatch(async () => {
    asked += 1;
    if (failure) throw failure;
  });
  expect([await watch.hasRoom(), asked]).toEqual([true, 0]);
  watch.refused();
  expect(await Promise.all([watch.hasRoom(), watch.hasRoom()])).toEqual([false, false]);
  expect(asked).toBe(1);
  failure = new Error('permission denied');
  expect(await watch.hasRoom()).toBe(false);
  failure = undefined;
  expect([await watch.hasRoom(), await watch.hasRoom(), asked]).toEqual([true, true, 3]);
});
