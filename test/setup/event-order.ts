import pg from 'pg';
import { changeEventOrder, type EventOrder } from '#src/infra/migrations/event-order.ts';
import { lockLimits } from '#src/infra/migrations/lock-waits.ts';

/** Changes the order of events of a clone, as the command `event-order` does. */
export async function orderEvents(url: string, order: EventOrder): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await changeEventOrder({ client, url, limits: { ...lockLimits, pauseMs: 50 }, say: () => undefined }, order);
  } finally {
    await client.end();
  }
}
