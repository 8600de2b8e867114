import { availableOf, type Entry } from './booking.rules.ts';
import type { StockChanged, StockLow } from './stock.topics.ts';

/** The movement as the ledger's columns and REST name it, but for its id. */
export const movementRow = (entry: Entry, at: Date): Omit<StockChanged['movement'], 'id'> => ({
  sku: entry.sku,
  location: entry.location,
  kind: entry.kind,
  quantity: entry.quantity,
  delta: entry.delta,
  reserved_delta: entry.reservedDelta,
  reference: entry.reference,
  note: entry.note,
  reservation: entry.reservation,
  expires_at: entry.expiresAt?.toISOString() ?? null,
  occurred_at: entry.occurredAt.toISOString(),
  created_at: at.toISOString(),
});

/** What `stock.changed` tells of the movement; the database adds its id. */
export const changedData = (
  entry: Entry,
  at: Date,
): Omit<StockChanged, 'movement'> & { movement: Omit<StockChanged['movement'], 'id'> } => ({
  sku: entry.sku,
  location: entry.location,
  on_hand: entry.after.onHand.toFixed(),
  reserved: entry.after.reserved.toFixed(),
  available: availableOf(entry.after).toFixed(),
  movement: movementRow(entry, at),
});

export const lowData = ({ sku, location, after }: Entry): StockLow => ({
  sku,
  location,
  available: availableOf(after).toFixed(),
  reorder_point: after.reorderPoint?.toFixed() ?? '',
});
