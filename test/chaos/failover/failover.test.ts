import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isLong } from '#test/chaos/volume.ts';
import { startsProcesses } from '#test/setup/timeouts.ts';
import { type Deployment, openDeployment, type Played } from './deployment.ts';
import { type Scenario, scenarios } from './scenarios.ts';
import { outageRefusals } from './traffic.ts';

// One deployment for all: what a failover leaves in a process's memory is there at the next one.
let deployment: Deployment;
beforeAll(async () => {
  deployment = await openDeployment(
    isLong ? { apis: 2, workers: 2, clients: 6, pauseMs: 40 } : { apis: 1, workers: 1, clients: 2, pauseMs: 60 },
  );
}, 240_000);
afterAll(() => deployment.close());

const nothing = { movement: 0, order: 0, run: 0 };
const none = {
  doubled: 0,
  keysRefused: 0,
  givenTwice: [],
  mixedUp: 0,
  failedRuns: 0,
  hangingRuns: 0,
  neverSent: 0,
  viewsClosed: 0,
  errors: [],
};
/** The maximum that an outage may add, in milliseconds, after the primary takes writes again. */
const aims = { api: 1_500, steps: 2_000, deliveries: 2_000, sockets: 2_000 } as const;
const ready = '200 {"status":"ready"}';
const unready = '503 {"status":"unavailable","missing":["database"]}';

function expectSound(played: Played, { lossy, isLasting }: Scenario): void {
  expect(played).toMatchObject({ ...none, ...(!lossy && { lost: nothing }) });
  for (const kind of ['movement', 'order', 'run'] as const) expect(played.accepted[kind]).toBeGreaterThan(0);
  expect(deployment.isAlive()).toBe(true);
  // Where time is measured there is load enough to tell what is usual.
  for (const [what, aim] of isLong ? Object.entries(aims) : []) {
    const of = what as keyof typeof aims;
    expect(played.afterMs[of] - played.usualMs[of], what).toBeLessThan(aim);
  }
  expect(played.refusals.filter((refusal) => !outageRefusals.includes(refusal))).toEqual([]);
  for (const { readyz, healthz } of played.probed) {
    if (isLasting) expect(readyz).toContain(unready);
    expect(readyz.filter((told) => told !== ready && told !== unready)).toEqual([]);
    expect(readyz.at(-1)).toBe(ready);
    expect(healthz).toEqual([expect.stringMatching(/^200 /)]);
  }
}

const show = (name: string, awayMs: number, played: Played): void =>
  void process.stdout.write(`${JSON.stringify({ failover: name, awayMs, ...played, probed: undefined })}\n`);

const all: Scenario[] = isLong ? Object.values(scenarios) : [scenarios.readOnly, scenarios.killed, scenarios.lossy];

describe.each(all)('$name', (scenario) => {
  // During the longer one, pauses between tries grow to their longest, and the leases of workers end.
  test.each(isLong ? [2_000, 12_000] : [600])('for %s ms', { timeout: 180_000 }, async (awayMs) => {
    const played = await deployment.play(scenario, { awayMs, loadMs: isLong ? 5_000 : 1_200, settleMs: 20_000 });
    show(scenario.name, awayMs, played);
    expectSound(played, scenario);
  });
});

test(
  'meeting a former primary again is an alarm: nothing is served until the process is restarted',
  startsProcesses,
  async () => {
    const { cluster, apis } = deployment;
    const readiness = () =>
      Promise.all(
        apis.map(async ({ url }) => {
          const answer = await fetch(`${url}/readyz`);
          return [answer.status, await answer.json()];
        }),
      );
    const write = () =>
      Promise.all(
        apis.map(async ({ url, admin }) => {
          const headers = { ...admin, 'content-type': 'application/json' };
          const body = JSON.stringify({ value: 'any' });
          const { status } = await fetch(`${url}/api/v1/secrets/ANY`, { method: 'PUT', headers, body });
          return status;
        }),
      );
    const alarmed = apis.map(() => [503, { status: 'unavailable', missing: ['database'], alarm: 'two_primaries' }]);
    const refused = apis.map(() => 503);
    await cluster.meetFormer();
    await expect.poll(readiness).toEqual(alarmed);
    expect(await write()).toEqual(refused);
    await cluster.leaveFormer();
    expect(await readiness()).toEqual(alarmed);
    expect(await write()).toEqual(refused);
    expect(deployment.isAlive()).toBe(true);
  },
);
