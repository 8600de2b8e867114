import type { Channel } from './pubsub-topic.ts';

/** A row that changed; the row says how. */
export type RowNotice = [tenantId: string, id: number];

/** A channel of notices of changed rows, for listeners to one row (`tenant/id`) and to all of a tenant (`tenant`). */
export const defineRowChannel = (name: string): Channel<RowNotice> => ({
  name,
  parse(raw) {
    if (!Array.isArray(raw)) return undefined;
    const [tenantId, id] = raw as unknown[];
    return typeof tenantId === 'string' && Number.isSafeInteger(id) ? (raw as RowNotice) : undefined;
  },
  keys: ([tenantId, id]) => [tenantId, `${tenantId}/${id}`],
});
