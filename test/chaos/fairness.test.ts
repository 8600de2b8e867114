import { describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import { chain, node, readyWorkflow } from '#test/setup/engine.ts';
import { volume } from './volume.ts';
import { fireMany, untilAllEnded } from './workload.ts';

const backlog = volume('backlogOfTenant');

describe('a tenant that queues a thousand runs', () => {
  test(
    'does not delay the few runs of another until its own are done',
    { timeout: 180_000 },
    async ({ api, startEngine }) => {
      const blob = {
        nodes: [node('a', 'set', { values: { n: 1 } }), node('b', 'emit-event', { topic: 'chaos.step', data: {} })],
        edges: chain('a', 'b'),
      };
      const many = await readyWorkflow(api, blob, { tenantId: 'acme-shop' });
      const few = await readyWorkflow(api, blob, { tenantId: 'other-shop' });
      await fireMany(api, [many], backlog);
      await fireMany(api, [few], 20);
      await startEngine();
      await untilAllEnded(api, 150_000);
      const { rows } = await api.database.system.query<{ before: number; total: number }>(
        `SELECT count(*)::int AS total, count(*) FILTER (WHERE completed_at < few.last)::int AS before
       FROM runs, (SELECT max(completed_at) AS last FROM runs WHERE tenant_id = 'other-shop') AS few
       WHERE tenant_id = 'acme-shop'`,
      );
      const [{ before, total }] = rows as [{ before: number; total: number }];
      process.stdout.write(`${JSON.stringify({ test: 'twenty runs behind a thousand', total, doneBefore: before })}\n`);
      expect(total).toBe(backlog);
      expect(before).toBeLessThan(total / 5);
    },
  );
});
