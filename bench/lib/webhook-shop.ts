import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { createDestination } from '#src/commerce/webhooks/destinations.service.ts';
import { type Deps, systemActor } from '#src/infra/deps.ts';
import { createEgress } from '#src/infra/egress/egress.ts';
import { createRedactor } from '#src/infra/logs/redact.ts';
import { openDatabase } from '#src/infra/postgres/database.ts';
import { generateKey, keyRing, parseKey } from '#src/infra/vault/key-ring.ts';
import { createVault } from '#src/infra/vault/vault.ts';
import { outboxChannel, publishEvent } from '#src/journal/outbox/outbox.ts';
import { benchOrg } from './bench-workflow.ts';
import { openShop } from './shop.ts';

/** The time to a fraction of a millisecond. */
export const epochMs = (): number => performance.timeOrigin + performance.now();

/** A tenant with signed destinations, and events for them. */
export interface WebhookShop {
  /** The settings with which a worker can open the secrets and call the receiver. */
  env: Record<string, string>;
  addDestination(url: string, concurrency: number): Promise<void>;
  /** Publishes `count` events of about a kilobyte in one commit, which wakes the relay, and returns its time, in epoch milliseconds. */
  publish(count: number): Promise<number>;
  /** Publishes one event like the product does, which wakes the relay, and returns the time of its commit, in epoch milliseconds. */
  publishOne(data: object): Promise<number>;
  /** Resolves when no delivery waits to be sent any more. */
  drained(deliveries: number): Promise<void>;
  close(): Promise<void>;
}

const topic = { name: 'bench.event', when: 'in a bench', data: z.unknown() };

/** `addresses`: the hosts that the worker may call. */
export async function openWebhookShop(databaseUrl: string, ...addresses: string[]): Promise<WebhookShop> {
  const shop = await openShop(databaseUrl);
  const key = generateKey();
  const ring = keyRing(parseKey(key) as Uint8Array);
  const database = openDatabase({ url: databaseUrl, poolSize: 4 });
  const vault = createVault({ database, rings: { credentials: ring, secrets: ring } });
  const egress = createEgress({ allow: new Set(addresses) });
  const deps = { database, vault, egress, redactor: createRedactor() } as Deps;
  return {
    env: { SECRETS_KEY: key, CREDENTIALS_KEY: generateKey(), EGRESS_ALLOW: addresses.join(','), METRICS_PORT: '0' },
    async addDestination(url, concurrency) {
      const settings = { name: url, url, topics: ['bench.event'], secret: 'a secret of the benches', concurrency };
      await createDestination(deps, systemActor(benchOrg, shop.tenantId), settings);
    },
    async publish(count) {
      await shop.client.query(
        `INSERT INTO outbox_events (tenant_id, topic, data, metadata)
         SELECT $1, 'bench.event', jsonb_build_object('n', n, 'text', repeat('x', 900)), '{}' FROM generate_series(1, $2::int) AS n`,
        [shop.tenantId, count],
      );
      database.notices.send(outboxChannel.name, [1]);
      return epochMs();
    },
    async publishOne(data) {
      const { tenantId } = shop;
      await database.withTenant(tenantId, (tx) => publishEvent(tx, { tenantId, topic, data }));
      return epochMs();
    },
    async drained(deliveries) {
      // Deliveries are counted only once no queue is due, so that polling costs little.
      const text = `SELECT CASE WHEN EXISTS (SELECT FROM webhook_queues WHERE tenant_id = $1 AND due_at IS NOT NULL) THEN 0 ELSE (
          SELECT count(*)::int FROM webhook_deliveries WHERE tenant_id = $1) END AS done`;
      for (;;) {
        const { rows } = await shop.client.query<{ done: number }>(text, [shop.tenantId]);
        if (rows[0]?.done === deliveries) return;
        await delay(200);
      }
    },
    async close() {
      await egress.close();
      await database.close();
      await shop.client.end();
    },
  };
}
