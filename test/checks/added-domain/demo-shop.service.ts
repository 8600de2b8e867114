import { z } from 'zod';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { defineJob } from '#src/infra/jobs.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { defineAudited } from '#src/journal/audit/audited.ts';
import { publishEvent } from '#src/journal/outbox/outbox.ts';
import { defineTopic } from '#src/journal/outbox/topic.ts';

export interface DemoOrder {
  tenantId: string;
  number: string;
  total: number;
}

/** The domain, opened. Its orders are kept in memory: the test has no table. */
export interface DemoShop extends Deps {
  orders: DemoOrder[];
  confirmed: string[];
}

declare module '#src/infra/services.ts' {
  interface Services {
    demoShop: DemoShop;
  }
}

export const auditedDemoOrder = defineAudited({ type: 'demo_order', actions: ['create'] });

export const demoOrderPlaced = defineTopic({
  name: 'demo-order.placed',
  when: 'when an order is placed',
  data: z.object({ number: z.string(), total: z.number() }),
});

export const confirmDemoOrderJob = defineJob({
  name: 'demo-shop.order.confirm',
  schema: z.object({ tenantId: z.string(), number: z.string() }),
  retry: { limit: 1, delay: 1 },
  expireInSeconds: 30,
});

export async function placeDemoOrder(
  { database, jobs, orders }: DemoShop,
  actor: Actor,
  { number, total }: { number: string; total: number },
): Promise<DemoOrder> {
  const { tenantId } = actor;
  await database.withTenant(tenantId, async (tx) => {
    await recordAudit(tx, actor, { resource: auditedDemoOrder, action: 'create', resourceId: number });
    await publishEvent(tx, { tenantId, topic: demoOrderPlaced, data: { number, total } });
    await jobs.send(confirmDemoOrderJob, { tenantId, number }, { tx });
  });
  const order = { tenantId, number, total };
  orders.push(order);
  return order;
}
