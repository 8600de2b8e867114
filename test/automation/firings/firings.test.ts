import { describe, expect } from 'vitest';
import { accept, fire, type Fired, type Firing } from '#src/automation/firings/firings.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { test } from '#test/setup/app-test.ts';
import { node, readyWorkflow } from '#test/setup/engine.ts';

let firing: Omit<Firing, 'payload'>;
test.beforeAll(async ({ api }) => {
  const { handle } = await readyWorkflow(api, { nodes: [node('a', 'set', { values: {} })] });
  firing = { actor: systemActor('acme', 'acme-shop'), handle, type: 'webhook', capture: true };
});

const requireRunId = (fired: Fired): number => {
  if (fired.outcome !== 'run') throw new Error(`The firing became: ${JSON.stringify(fired)}`);
  return fired.runId;
};

describe('an idempotency key', () => {
  test('returns the run it first started, alone and within a batch', async ({ api }) => {
    const first = requireRunId(await fire(api.deps, { ...firing, payload: 1, idempotencyKey: 'order-1' }));
    const batch: Firing[] = [
      { ...firing, payload: 2, idempotencyKey: 'order-2' },
      { ...firing, payload: 3, idempotencyKey: 'order-1' },
      { ...firing, payload: 4 },
      { ...firing, payload: 5, idempotencyKey: 'order-5' },
    ];
    const fired = await api.database.withSystem((client) => accept(client, api.deps, batch));
    expect(fired.map((answer) => answer.outcome === 'run' && answer.repeated)).toEqual([false, true, false, false]);
    expect(requireRunId(fired[1] as Fired)).toBe(first);
    const ids = fired.map(requireRunId);
    expect(new Set(ids).size).toBe(4);
    const { rows } = await api.database.system.query<{ payload: number }>(
      'SELECT payload FROM run_payloads WHERE run_id = ANY ($1) ORDER BY array_position($1, run_id)',
      [ids],
    );
    expect(rows.map(({ payload }) => payload)).toEqual([2, 1, 4, 5]);
    const again = await fire(api.deps, { ...firing, payload: 6, idempotencyKey: 'order-5' });
    expect(again).toMatchObject({ repeated: true, runId: ids[3] });
  });

  test('starts one run however many callers use it at once', async ({ api }) => {
    const fired = await Promise.all(
      Array.from({ length: 40 }, (_, n) => fire(api.deps, { ...firing, payload: n, idempotencyKey: `rush-${n % 4}` })),
    );
    expect(new Set(fired.map(requireRunId)).size).toBe(4);
    expect(fired.filter((answer) => answer.outcome === 'run' && !answer.repeated)).toHaveLength(4);
  });
});

describe('a refusal', () => {
  test('keeps the firing as a dead letter with its reason, even of a runnable workflow', async ({ api }) => {
    const fired = await fire(api.deps, { ...firing, payload: {}, refusal: 'The filter is broken.' });
    expect(fired).toMatchObject({ outcome: 'dead_letter', reason: 'The filter is broken.' });
  });
});
