import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { call } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { readyWorkflow, node } from '#test/setup/engine.ts';

const tenant = 'acme-shop';
const start = Date.UTC(2026, 10, 29, 12);
const second = 1_000;

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

let counter = 0;
async function addCredential(limit?: { requests: number; per: string; burst: number }): Promise<string> {
  counter += 1;
  const body = { credential_type_slug: 'core:bearer', name: `Limited ${counter}`, config: { token: 'canary-4711' } };
  const id = String((await call(api, 'POST', '/credentials', { body })).body['id']);
  if (limit)
    await api.database.withTenant(
      tenant,
      (
        tx,
      ) => tx.$executeRaw`UPDATE credentials SET rate_requests = ${limit.requests}, rate_period = ${limit.per}, rate_burst = ${limit.burst}
        WHERE id = ${BigInt(id)}`,
    );
  return id;
}

interface Asked {
  workflow?: number;
  run: number;
  inPlace?: boolean;
}

/** The turns of steps that ask at `at`, milliseconds after `start`: when they may send, and null for those that queue. */
async function takeAt(at: number, credential: string, asked: Asked[]): Promise<(number | null)[]> {
  const { rows } = await api.database.system.query<{ place: number; granted: boolean; wait_ms: number }>(
    'SELECT * FROM take_turns($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::boolean[], $7::timestamptz) ORDER BY place',
    [
      asked.map(() => tenant),
      asked.map(() => credential),
      asked.map(({ workflow }) => workflow ?? 1),
      asked.map(({ run }) => run),
      asked.map(() => 'send'),
      asked.map(({ inPlace }) => inPlace ?? true),
      new Date(start + at),
    ],
  );
  return rows.map(({ granted, wait_ms: wait }) => (granted ? at + wait : null));
}

const grantAt = async (at: number): Promise<number[]> => {
  const { rows } = await api.database.system.query<{ run_id: number }>(
    'SELECT run_id FROM grant_turns($1::timestamptz)',
    [new Date(start + at)],
  );
  return rows.map(({ run_id: id }) => id);
};

const runs = (many: number, more: Partial<Asked> = {}, from = 1): Asked[] =>
  Array.from({ length: many }, (_, index) => ({ run: from + index, ...more }));

/** Runs of one workflow in these states. */
async function addRuns(states: readonly string[]): Promise<number[]> {
  const { workflowId } = await readyWorkflow(api, { nodes: [node('send', 'set', { values: {} })] });
  const { rows } = await api.database.system.query<{ id: number }>(
    `INSERT INTO runs (tenant_id, workflow_id, bundle_id, revision, trigger_type, status, completed_at)
     SELECT $1, $2, (SELECT id FROM workflow_bundles WHERE tenant_id = $1 AND workflow_id = $2), 1, 'manual', s,
       CASE s WHEN 'failed' THEN now() END FROM unnest($3::text[]) AS s RETURNING id`,
    [tenant, workflowId, states],
  );
  return rows.map(({ id }) => id);
}

const waiting = (many: number): string[] => Array.from({ length: many }, () => 'waiting');

/** The runs that queue for a credential, or those that were granted a turn, in its order. */
async function queue(credential: string, isGranted = false): Promise<number[]> {
  const { rows } = await api.database.system.query<{ run_id: number }>(
    `SELECT run_id FROM credential_waits WHERE credential_id = $1 AND (due_at IS NOT NULL) = $2 ORDER BY due_at, tag, asked_at`,
    [credential, isGranted],
  );
  return rows.map(({ run_id: id }) => id);
}

const closeAt = (at: number, credential: string, ms: number, isRefusal: boolean) =>
  api.database.system.query('SELECT close_credential($1, $2, $3, $4, $5::timestamptz)', [
    tenant,
    credential,
    ms,
    isRefusal,
    new Date(start + at),
  ]);

const closedFor = async (at: number, credential: string): Promise<number> => {
  const { rows } = await api.database.system.query<{ closed_until: Date }>(
    'SELECT closed_until FROM credential_rates WHERE credential_id = $1',
    [credential],
  );
  return (rows[0]?.closed_until.getTime() ?? 0) - start - at;
};

describe('take_turns', () => {
  test('spreads requests over the second, and lets those queue whose turn is more than 1.2 s away', async () => {
    const credential = await addCredential({ requests: 10, per: 'second', burst: 1 });
    const turns = await takeAt(0, credential, runs(20));
    expect(turns.slice(0, 12)).toEqual(Array.from({ length: 12 }, (_, index) => index * 104));
    expect(turns.slice(12)).toEqual(Array.from({ length: 8 }, () => null));
  });

  test('lets a burst pass at once, and no other before the schedule is even again', async () => {
    const credential = await addCredential({ requests: 60, per: 'minute', burst: 5 });
    const turns = await takeAt(0, credential, runs(7));
    expect(turns.slice(0, 5)).toEqual([0, 0, 0, 0, 0]);
    expect(turns[5]).toBeCloseTo(1_000.667);
    expect(turns[6]).toBeNull();
  });

  test('gives a missed turn back if nobody was granted one since, so that a slow API loses none', async () => {
    const credential = await addCredential({ requests: 1, per: 'hour', burst: 2 });
    const [late = 0] = await addRuns(waiting(1));
    await closeAt(0, credential, 5_000, false);
    expect(await takeAt(0, credential, [{ run: late, inPlace: false }])).toEqual([null]);
    expect(await grantAt(4_500)).toEqual([late]);
    expect(await takeAt(90_000, credential, [{ run: late }, { run: 1 }, { run: 2 }])).toEqual([90_000, 90_000, null]);
  });

  test('has no limit for a credential that is gone, so that its steps fail with the reason', async () => {
    expect(await takeAt(0, '987654', runs(50))).toEqual(runs(50).map(() => 0));
  });

  test('gives a turn that was missed to the next, and the one who missed it the first place in the queue', async () => {
    const credential = await addCredential({ requests: 1, per: 'second', burst: 1 });
    const [late = 0, next = 0, last = 0] = await addRuns(waiting(3));
    expect(await takeAt(0, credential, [...runs(2), { run: late }])).toEqual([0, 1_040, null]);
    await grantAt(1_000);
    expect(await queue(credential, true)).toEqual([late]);
    // Its turn was at 2,080.
    expect(await takeAt(2_200, credential, [{ run: next }])).toEqual([3_120]);
    expect(await takeAt(2_300, credential, [{ run: last }, { run: late }])).toEqual([null, null]);
    await grantAt(3_200);
    expect(await queue(credential, true)).toEqual([late]);
    expect(await takeAt(3_300, credential, [{ run: last }, { run: late }])).toEqual([null, 4_160]);
  });

  test('admits no more than the limit and the burst in any period, however requests arrive', async () => {
    const arrivals = fc.array(fc.record({ gap: fc.nat(900), many: fc.integer({ min: 1, max: 8 }) }), {
      minLength: 1,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(
        arrivals,
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 6 }),
        async (groups, requests, burst) => {
          const credential = await addCredential({ requests, per: 'second', burst });
          const sent: number[] = [];
          let at = 0;
          let run = 0;
          for (const { gap, many } of groups) {
            at += gap;
            const turns = await takeAt(at, credential, runs(many, {}, run + 1));
            run += many;
            sent.push(...turns.filter((turn) => turn !== null));
          }
          for (const from of sent)
            expect(sent.filter((time) => time >= from && time < from + second).length).toBeLessThan(requests + burst);
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe('grant_turns', () => {
  test('lets workflows take turns, however many steps of one wait', async () => {
    const credential = await addCredential({ requests: 1, per: 'second', burst: 1 });
    const [many, few] = [await addRuns(waiting(50)), await addRuns(waiting(2))];
    await takeAt(0, credential, runs(2));
    const ask = (ids: number[], workflow: number) =>
      takeAt(
        0,
        credential,
        ids.map((run) => ({ run, workflow, inPlace: false })),
      );
    expect(await ask(many, 1)).toEqual(many.map(() => null));
    expect(await ask(few, 2)).toEqual([null, null]);
    const woken: number[] = [];
    for (let at = 1_000; at <= 5_200; at += 200) woken.push(...(await grantAt(at)));
    expect(woken).toEqual([many[0], few[0], many[1], few[1], many[2]]);
  });

  test('wakes suspended runs in their turn, skips running ones, and deletes the steps of runs that ended', async () => {
    const credential = await addCredential({ requests: 1, per: 'second', burst: 1 });
    await takeAt(0, credential, runs(2));
    const [driven, suspended, ...ended] = await addRuns(['running', 'waiting', 'failed', 'failed']);
    const ids = [driven, suspended, ...ended] as number[];
    await takeAt(
      0,
      credential,
      ids.map((run) => ({ run, inPlace: false })),
    );
    expect(await grantAt(1_000)).toEqual([suspended]);
    await grantAt(3_000);
    expect(await queue(credential)).toEqual([driven]);
  });

  test('wakes all at once when the credential is deleted', async () => {
    const credential = await addCredential({ requests: 1, per: 'hour', burst: 1 });
    const ids = await addRuns(waiting(30));
    await takeAt(
      0,
      credential,
      ids.map((run) => ({ run, inPlace: false })),
    );
    await call(api, 'DELETE', `/credentials/${credential}`);
    expect((await grantAt(100)).toSorted((a, b) => a - b)).toEqual(ids.slice(1));
    expect(
      await takeAt(
        200,
        credential,
        ids.map((run) => ({ run })),
      ),
    ).toEqual(ids.map(() => 200));
  });
});

describe('close_credential', () => {
  test('lets nobody pass before its end, and never later than an hour', async () => {
    const credential = await addCredential();
    await closeAt(0, credential, 500, false);
    expect(await takeAt(0, credential, runs(2))).toEqual([500, 600]);
    await closeAt(0, credential, 1e12, false);
    expect(await closedFor(0, credential)).toBe(3_600_000);
    await closeAt(0, credential, 100, false);
    expect(await closedFor(0, credential)).toBe(3_600_000);
  });

  test('pauses twice as long after each further refusal, up to 5 minutes, and counts those during a pause once', async () => {
    const credential = await addCredential();
    const pauses: number[] = [];
    let at = 0;
    for (let count = 0; count < 11; count += 1) {
      await closeAt(at, credential, 0, true);
      await closeAt(at, credential, 0, true);
      const pause = await closedFor(at, credential);
      pauses.push(pause / second);
      at += pause + 10;
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
    await closeAt(at + 600_000, credential, 0, true);
    expect(await closedFor(at + 600_000, credential)).toBe(second);
  });
});
