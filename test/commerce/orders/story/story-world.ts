import { createTrigger } from '#src/automation/triggers/triggers.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { createShop } from '#test/commerce/shop.ts';
import { createHooks } from '#test/commerce/webhooks/hooks.ts';
import { type Receiver, startReceiver } from '#test/commerce/webhooks/receiver.ts';
import type { TestApp } from '#test/setup/app.ts';
import { node, readyWorkflow, startTestEngine } from '#test/setup/engine.ts';
import { WebhookSender } from '#workers/commerce/webhooks/webhook-sender.ts';
import { startOutboxRelay } from '#workers/relay/outbox-relay.ts';

/** A shop whose orders go to an ERP: by a workflow, and by a webhook destination. */
export interface StoryWorld {
  shop: ReturnType<typeof createShop>;
  /** Receives the workflow's requests at `/erp/orders`, and the deliveries at `/hooks`. */
  erp: Receiver;
  destinationId: number;
  /** Sends orders to the ERP. */
  workflowId: number;
  /** May be called again. */
  close(): Promise<void>;
}

/** Lets the workflow begin on each new order. */
export const startOnOrders = ({ deps }: TestApp, workflowId: number) =>
  createTrigger(deps, systemActor('acme', 'acme-shop'), BigInt(workflowId), {
    type: 'event',
    name: 'New orders',
    config: { topics: ['order.created'] },
  });

/** Starts what a worker runs, with an ERP. */
export async function startStoryWorld(api: TestApp): Promise<StoryWorld> {
  const erp = await startReceiver();
  api.egressAllow.add(erp.address);
  const shop = createShop(api);
  await shop.stocked('MUG', '1000');
  const { workflowId } = await readyWorkflow(
    api,
    { nodes: [node('send_order', 'http-request', httpConfig(erp)), node('note', 'set', { values: {} })] },
    { type: 'manual' },
  );
  await startOnOrders(api, workflowId);
  const { id: destinationId } = await createHooks(api).create({
    url: `${erp.url}/hooks`,
    topics: ['order.created', 'order.acknowledged'],
  });
  const engine = await startTestEngine(api, { allow: erp.address });
  const relay = await startOutboxRelay(api.deps, api.services.consumers);
  const sender = new WebhookSender(api.deps, {});
  const stop = async () => {
    await relay.stop();
    await sender.stop();
    await engine.stop();
    await erp.close();
  };
  let stopped: Promise<void> | undefined;
  return { shop, erp, destinationId, workflowId, close: () => (stopped ??= stop()) };
}

const httpConfig = ({ url }: Receiver) => ({
  method: 'POST',
  url: `${url}/erp/orders?token=in-the-query`,
  body: { number: '{{ trigger.payload.data.number }}' },
});
