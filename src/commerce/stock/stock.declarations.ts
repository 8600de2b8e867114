import { z } from 'zod';
import { defineScopes } from '#src/infra/key-scopes.ts';
import { defineAudited } from '#src/journal/audit/audited.ts';
import { defineTopic } from '#src/journal/outbox/topic.ts';
import { type Movement, movementKinds } from './stock.inputs.ts';

/** Movements that a user books by hand; all others are recorded only in the ledger. */
export const auditedStock = defineAudited({ type: 'stock', actions: ['book', 'set_reorder_point'] });

const movement = z.object({
  id: z.int(),
  sku: z.string(),
  location: z.string(),
  kind: z.enum(movementKinds),
  quantity: z.string(),
  delta: z.string(),
  reserved_delta: z.string(),
  reference: z.string(),
  note: z.string().nullable(),
  reservation: z.string().nullable(),
  expires_at: z.iso.datetime().nullable(),
  occurred_at: z.iso.datetime(),
  created_at: z.iso.datetime(),
});

export const stockChanged = defineTopic({
  name: 'stock.changed',
  when: 'when a movement is booked; the figures are those of its location right after it',
  data: z.object({
    sku: z.string(),
    location: z.string(),
    on_hand: z.string(),
    reserved: z.string(),
    available: z.string(),
    movement,
  }),
});

/** A movement created `at` that time, with the names of the ledger's columns and REST, without its id. */
export const movementRow = (
  entry: Omit<Movement, 'id' | 'createdAt'>,
  at: Date,
): Omit<StockChanged['movement'], 'id'> => ({
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

/** A movement as REST shows it. */
export const movementData = (entry: Movement): StockChanged['movement'] => ({
  id: entry.id,
  ...movementRow(entry, entry.createdAt),
});

export const stockLow = defineTopic({
  name: 'stock.low',
  when: 'when a movement takes what is available at a location from at or above its reorder point to below it',
  data: z.object({ sku: z.string(), location: z.string(), available: z.string(), reorder_point: z.string() }),
});

export type StockChanged = z.input<typeof stockChanged.data>;
export type StockLow = z.input<typeof stockLow.data>;

declare module '#src/infra/key-scopes.ts' {
  interface KeyScopes {
    'stock:read': true;
    'stock:write': true;
  }
}

export const stockScopes = defineScopes({
  'stock:read': 'Read stock, availability and movements.',
  'stock:write': 'Book movements, transfer stock and set reorder points.',
});
