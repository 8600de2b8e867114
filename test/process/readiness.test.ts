import { expect, test } from 'vitest';
import { checkReadiness } from '#src/process/readiness.ts';

const yes = () => Promise.resolve(true);
const no = () => Promise.resolve(false);
const parts = {
  alarm: () => undefined,
  databaseTakesWrites: yes,
  hasRoom: yes,
  bucketIsReachable: yes,
  workerIsLive: yes,
};

test.each([
  [{}, undefined],
  [{ databaseTakesWrites: no, workerIsLive: no }, ['database']],
  [{ hasRoom: no }, ['disk']],
  [{ bucketIsReachable: no }, ['bucket']],
  [{ hasRoom: no, bucketIsReachable: () => Promise.reject(new Error('gone')) }, ['disk', 'bucket']],
  [{ workerIsLive: no }, ['worker']],
])('a process with %o lacks %o', async (lacking, missing) => {
  const options = { ending: new AbortController().signal, isStarted: true, ...parts, ...lacking };
  const { status, ...more } = await checkReadiness(options);
  expect([status, more.missing]).toEqual([missing ? 'unavailable' : 'ready', missing]);
});
