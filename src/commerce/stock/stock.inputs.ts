import { z } from 'zod';
import { decimal } from '#src/infra/decimals.ts';

export const movementKinds = [
  'receipt',
  'issue',
  'return',
  'adjustment',
  'count',
  'transfer_in',
  'transfer_out',
  'reserve',
  'release',
] as const;

export type MovementKind = (typeof movementKinds)[number];

export const sku = z.string().trim().min(1).max(191);
const location = z.string().trim().min(1).max(64);
const note = z.string().max(1_000);
const quantity = decimal();

/** What the release of an expired reservation has after the reservation's reference. */
export const expiredSuffix = ':expired';
/** Whether an order booked the movement of this reference, or its shipment or return. What an order reserves is used up by it alone. */
export const isOfOrder = (reference: string): boolean =>
  /^(order-position:\d|(shipment|return):\d+:\d)/.test(reference);
const reference = z
  .string()
  .trim()
  .min(1)
  .max(191)
  .refine(
    (text) => !text.endsWith(expiredSuffix),
    `References that end with ${expiredSuffix} are kept for releases of expired reservations.`,
  )
  .refine((text) => !isOfOrder(text), 'References of this form are kept for the movements of orders.');

export const bookMovementInput = z.object({
  sku,
  /** Left out: `main`. */
  location: location.nullish(),
  kind: z.enum(movementKinds),
  quantity,
  reference,
  note: note.nullish(),
  /** For issues and releases: the reference of the reservation that they use up. */
  reservation: z
    .string()
    .trim()
    .min(1)
    .max(191)
    .refine((text) => !isOfOrder(text), 'What an order reserves is its own: ship, complete or cancel the order.')
    .nullish(),
  /** For reserves: when what is left of it is free again. */
  expiresAt: z.date().nullish(),
  /** Left out: now. */
  occurredAt: z.date().nullish(),
});

export const transferStockInput = z.object({
  sku,
  from: location,
  to: location,
  quantity: decimal({ sign: 'positive' }),
  reference: reference.max(187),
  note: note.nullish(),
  occurredAt: z.date().nullish(),
});

export const setReorderPointInput = z.object({
  sku,
  location: location.nullish(),
  /** Null clears it. */
  reorderPoint: decimal({ sign: 'not negative' }).nullish(),
});

export const defaultLocation = 'main';
/** Locations of one article: all of them stand in each answer about it. */
export const mostLocations = 1_000;
export const tooManyLocations = `An article has at most ${mostLocations} locations; use one that it has.`;

/** What callers book: quantities as decimal text within the bounds of the inputs. */
export interface NewMovement {
  sku: string;
  /** `main` by default. */
  location?: string | null | undefined;
  kind: MovementKind;
  quantity: string;
  /** Unique in the tenant: a repeat returns the first movement. */
  reference: string;
  note?: string | null | undefined;
  /** For issues and releases: the reference of the reservation that they use up. */
  reservation?: string | null | undefined;
  expiresAt?: Date | null | undefined;
  occurredAt?: Date | null | undefined;
}

/** A movement of the ledger. */
export interface Movement {
  id: number;
  sku: string;
  location: string;
  kind: MovementKind;
  quantity: string;
  delta: string;
  reservedDelta: string;
  reference: string;
  note: string | null;
  reservation: string | null;
  expiresAt: Date | null;
  occurredAt: Date;
  createdAt: Date;
}
