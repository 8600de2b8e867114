import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Stamps } from '#src/automation/runs/run-queue.service.ts';

const now = Date.UTC(2027, 5, 1);
const hour = 3_600_000;

describe('the order in which tenants are served', () => {
  test('puts a few runs before a backlog, however old and long it is', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 48 * hour }), fc.integer({ min: 1, max: 20_000 }), (age, backlog) => {
        const stamps = new Stamps();
        const then = stamps.at(now - age);
        const queued = Array.from({ length: backlog }, () => then.next('many'));
        const few = stamps.at(now - age);
        const served = Array.from({ length: 20 }, () => few.next('few'));
        const before = queued.filter((priority) => priority > Math.min(...served)).length;
        expect(before).toBeLessThanOrEqual(20);
      }),
      { numRuns: 50 },
    );
  });

  test('serves tenants with backlogs in turn', () => {
    const stamps = new Stamps().at(now);
    const queued = ['a', 'b', 'c'].flatMap((tenant) =>
      Array.from({ length: 2_000 }, () => ({ tenant, priority: stamps.next(tenant) })),
    );
    const first = queued.toSorted((x, y) => y.priority - x.priority).slice(0, 1_500);
    for (const tenant of ['a', 'b', 'c']) {
      const share = first.filter((run) => run.tenant === tenant).length;
      expect(share).toBeGreaterThan(430);
      expect(share).toBeLessThan(570);
    }
  });

  test('resumes started runs before new ones, and ignores runs that are not due', () => {
    const stamps = new Stamps().at(now);
    const isNew = stamps.next('tenant');
    expect(stamps.again('tenant')).toBeGreaterThan(isNew);
    expect(stamps.again('tenant', new Date(now + hour))).toBeLessThan(isNew);
  });

  test('does not let thousands of runs that wake together overtake others', () => {
    const stamps = new Stamps().at(now);
    const woken = Array.from({ length: 5_000 }, () => stamps.again('many'));
    const isNew = stamps.next('few');
    expect(woken.filter((priority) => priority > isNew).length).toBeLessThanOrEqual(100);
  });
});
