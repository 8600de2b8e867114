import { expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import { keepLease } from '#workers/engine/lease.ts';
import { compareHeldRuns } from '#workers/engine/run-leases.ts';
import { registerWorker } from '#workers/engine/statements/run-leases.ts';
import { LeaseLostError, writeStepLog } from '#workers/engine/write-step-log.ts';

const leaseMs = 300;

/** Stops this process for a while, as a debugger or a host that swaps does. */
const suspend = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

test.for([
  { suspendedMs: leaseMs / 3, mayAct: true },
  { suspendedMs: 2 * leaseMs, mayAct: false },
])('a worker with a lease of 300 ms, suspended for $suspendedMs ms, may act: $mayAct', async (given, { api }) => {
  const lease = keepLease(api.deps, await registerWorker(api.deps, leaseMs), leaseMs);
  expect(await lease.renew()).toBe(true);
  suspend(given.suspendedMs);
  if (given.mayAct) expect(await lease.confirm()).toBeUndefined();
  else await expect(lease.confirm()).rejects.toThrow(LeaseLostError);
  lease.end();
});

test('work that meets an unknown server is repeated once the worker has compared its runs', async ({ api }) => {
  const workerId = await registerWorker(api.deps, 60_000);
  const servers = ['a former primary'];
  const compare = async () => servers.shift() ?? (await compareHeldRuns(api.deps, workerId, [])).server;
  const lease = keepLease(api.deps, workerId, 60_000, compare);
  const tried: (string | undefined)[] = [];
  await lease.under(async (server) => {
    tried.push(server);
    await writeStepLog(api.deps, { workerId, server }, []);
  });
  expect(tried).toEqual(['a former primary', expect.stringMatching(/^\d+\.\d+$/)]);
  lease.end();
});
