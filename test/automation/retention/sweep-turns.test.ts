import { beforeEach, describe, expect } from 'vitest';
import { isRoundDone, newRound, sweepRetention } from '#src/automation/retention/retention-sweep.service.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { createHistory } from './history.ts';

let api: TestApp;
let history: ReturnType<typeof createHistory>;
test.beforeAll(async ({ api: started }) => {
  api = started;
  history = createHistory(api);
});

/** In the order of their turns. The first has rows for several passes of which nothing may go, and then one run that may. */
const tenants = ['acme-outlet', 'acme-shop', 'other-shop'] as const;
let old: number[];
beforeEach(async () => {
  await api.database.system.query(
    `UPDATE runs SET status = 'succeeded', completed_at = now() WHERE status = 'running'`,
  );
  for (const tenant of tenants) await history.settings(tenant, { run: 1, step: 1 });
  for (let n = 0; n < 4; n += 1) await history.run({ tenant: tenants[0], age: 20, details: 10_000, status: 'running' });
  old = [];
  for (const tenant of tenants) old.push(await history.run({ tenant, age: 20 }));
});
const left = async () => Promise.all(old.map(async (id) => (await history.left(id)).runs));

interface Look {
  tenant: string;
  from: number;
}

/** The deps, and the run at which each pass over steps began. `onLook` is called for each. */
function watched(onLook: (looks: Look[]) => void = () => undefined) {
  const looks: Look[] = [];
  const system = new Proxy(api.database.system, {
    get(pool, name) {
      const found = Reflect.get(pool, name, pool) as unknown;
      if (name !== 'query') return typeof found === 'function' ? found.bind(pool) : found;
      return (text: string, values?: unknown[]) => {
        if (typeof text === 'string' && text.includes('FROM steps')) {
          looks.push({ tenant: String(values?.[0]), from: Number(values?.[2]) });
          onLook(looks);
        }
        return pool.query(text, values);
      };
    },
  });
  return { looks, deps: { ...api.deps, database: { ...api.database, system } } };
}

describe('a tenant with more rows than one batch', () => {
  test('is swept round-robin with the others, resuming where its last batch ended', async () => {
    const { looks, deps } = watched();
    const round = newRound();
    const { afterTenant } = await sweepRetention(deps, { round, turnMs: -1, pauseMs: 0 });
    expect(looks.slice(0, 3).map(({ tenant }) => tenant)).toEqual(tenants);
    const passes = looks.filter(({ tenant }) => tenant === tenants[0]).map(({ from }) => from);
    expect(passes.length).toBeGreaterThan(4);
    expect(passes.filter((from) => from === 0)).toHaveLength(1);
    expect(passes).toEqual(passes.toSorted((a, b) => a - b));
    expect(await left()).toEqual([0, 0, 0]);
    expect([afterTenant, isRoundDone(round)]).toEqual([undefined, true]);
  });

  test('is resumed by the next sweep, after the others', async () => {
    const stopping = new AbortController();
    const first = watched((looks) => looks.length === 4 && stopping.abort());
    const round = newRound();
    const options = { round, pauseMs: 0 };
    const { afterTenant } = await sweepRetention(first.deps, { ...options, signal: stopping.signal });
    expect(first.looks.map(({ tenant }) => tenant)).toEqual(Array(4).fill(tenants[0]));
    expect([afterTenant, isRoundDone(round)]).toEqual([tenants[0], false]);
    expect(await left()).toEqual([1, 1, 1]);

    const second = watched();
    await sweepRetention(second.deps, options);
    expect(second.looks.slice(0, 3).map(({ tenant }) => tenant)).toEqual([tenants[1], tenants[2], tenants[0]]);
    expect(second.looks[2]?.from).toBeGreaterThanOrEqual(first.looks[3]?.from as number);
    expect(await left()).toEqual([0, 0, 0]);
    expect(isRoundDone(round)).toBe(true);
  });
});
