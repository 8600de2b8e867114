import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ListForm, SimulatedList } from './simulated-list.ts';

const form = fc.record<ListForm>({
  order: fc.constantFrom('none', 'ascending', 'descending'),
  paging: fc.constantFrom('offset', 'keyset'),
  size: fc.integer({ min: 2, max: 6 }),
  lag: fc.integer({ min: 0, max: 58 }),
  grain: fc.constantFrom(1, 1_000),
  old: fc.integer({ min: 0, max: 30 }),
});

const step = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ do: 'insert' as const, at: 0 }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('update' as const), at: fc.nat(100) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), at: fc.nat(100) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'touchAll' as const, at: 0 }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('wait' as const), at: fc.nat(40_000) }) },
  { weight: 14, arbitrary: fc.constant({ do: 'stored' as const, at: 0 }) },
  { weight: 1, arbitrary: fc.constant({ do: 'failed' as const, at: 0 }) },
  { weight: 2, arbitrary: fc.constant({ do: 'killed' as const, at: 0 }) },
);

test('every version that stays visible is fired exactly once, whatever changes, fails and dies while the list is read', () => {
  fc.assert(
    fc.property(form, fc.array(step, { minLength: 10, maxLength: 120 }), (given, steps) => {
      const list = new SimulatedList(given);
      for (const { do: what, at } of steps) {
        if (what === 'wait') list.now += at;
        else if (what === 'stored' || what === 'failed' || what === 'killed') list.poll(what);
        else list[what](at);
      }
      list.settle();
      expect(list.missed()).toEqual([]);
      expect(list.twice()).toEqual([]);
    }),
    { numRuns: 1_500, seed: 4 },
  );
}, 120_000);
