import { z } from 'zod';
import type { Egress } from '#src/infra/egress/egress.ts';
import { publishEvent } from '#src/journal/outbox/outbox.ts';
import type { Topic } from '#src/journal/outbox/topic.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import type { TestApp } from '#test/setup/app.ts';
import { type SenderOptions, WebhookSender } from '#workers/commerce/webhooks/webhook-sender.ts';
import { startOutboxRelay } from '#workers/relay/outbox-relay.ts';

export interface Destination {
  id: number;
  status: string;
  disabled_reason: string | null;
  problem: string | null;
  failing_since: string | null;
  [field: string]: unknown;
}

export interface Delivery {
  id: number;
  event_id: string;
  topic: string;
  status: string;
  reason: string | null;
  next_attempt_at: string | null;
  attempts: { try: number; status: string; http_code: number | null; error: string | null; response: string | null }[];
}

export const anyTopic = (name: string): Topic => ({ name, when: 'in a test', data: z.unknown() });

/** Helpers for tests of webhooks over REST and in the outbox of acme-shop. */
export function createHooks(api: TestApp) {
  const create = async (input: object): Promise<Destination> => {
    const { body } = await callPlatform(api, 'POST', '/webhooks/destinations', { body: { name: 'ERP', ...input } });
    return body as unknown as Destination;
  };
  const read = async (id: number): Promise<Destination> =>
    (await callPlatform(api, 'GET', `/webhooks/destinations/${id}`)).body as unknown as Destination;
  const deliveries = async (id: number, more = ''): Promise<Delivery[]> =>
    (await callPlatform(api, 'GET', `/webhooks/deliveries?destination_id=${id}&order=created_at.asc&limit=100${more}`))
      .body['items'] as unknown as Delivery[];
  return {
    create,
    read,
    deliveries,
    /** Publishes an event and answers its id. */
    publish: (topic: string, data: unknown = {}, tenantId = 'acme-shop'): Promise<string> =>
      api.database.withTenant(tenantId, (tx) => publishEvent(tx, { tenantId, topic: anyTopic(topic), data })),
    /** Resolves with the deliveries to a destination once they fulfil a condition. */
    async until(id: number, holds: (deliveries: Delivery[]) => boolean): Promise<Delivery[]> {
      for (;;) {
        const found = await deliveries(id);
        if (holds(found)) return found;
        await new Promise((resolve) => void setTimeout(resolve, 50));
      }
    },
    /** Ends the wait for a delivery's next attempt. */
    async skipDelay(deliveryId: number): Promise<void> {
      await api.database.system.query('UPDATE webhook_deliveries SET next_attempt_at = now() WHERE id = $1', [
        deliveryId,
      ]);
      await api.database.system.query('UPDATE webhook_queues SET due_at = now() WHERE due_at IS NOT NULL');
    },
  };
}

/** The relay and a sender, as one worker runs them. */
export async function startWorker(api: TestApp, options: SenderOptions = {}): Promise<{ stop(): Promise<void> }> {
  const relay = await startOutboxRelay(
    api.deps,
    api.services.consumers.filter(({ name }) => name === 'webhooks'),
  );
  const sender = new WebhookSender(api.deps, options);
  return {
    async stop() {
      await relay.stop();
      await sender.stop();
    },
  };
}

/** The app, where calls to these paths get so many times the seconds that the product gives them. */
export function withTimeouts(api: TestApp, factor: number, paths: string[]): TestApp {
  const { egress } = api.deps;
  const request: typeof egress.request = (call) => {
    const { timeoutMs } = call;
    const isChanged = timeoutMs !== undefined && paths.includes(new URL(call.url).pathname);
    return egress.request(isChanged ? { ...call, timeoutMs: timeoutMs * factor } : call);
  };
  // Senders use nothing else of it.
  return { ...api, deps: { ...api.deps, egress: { request } as Egress } };
}
