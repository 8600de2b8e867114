import { z } from 'zod';
import { graphTypes } from '#src/infra/graph-types.ts';
import { decimal } from '#src/infra/text/decimals.ts';

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

/** The suffix that the release of an expired reservation adds to the reservation's reference. */
export const expiredSuffix = ':expired';
/** True if an order booked the movement of this reference, or its shipment or return. Only the order itself may use up its reservations. */
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
  sku: sku.describe('Of a product.'),
  location: location.nullish().describe('At most 64 characters; left out: `main`. Its first movement makes it.'),
  kind: z.enum(movementKinds).register(graphTypes, { type: 'MovementKind' }).describe('What it does.'),
  quantity: quantity.describe('More than 0, e.g. `"2.5"`; a count may be 0, an adjustment negative.'),
  reference: reference.describe('The business key of the movement, at most 191 characters: a repeat has no effect.'),
  note: note.nullish().describe('For people, at most 1,000 characters.'),
  reservation: z
    .string()
    .trim()
    .min(1)
    .max(191)
    .refine((text) => !isOfOrder(text), 'What an order reserves is its own: ship, complete or cancel the order.')
    .nullish()
    .describe('For an issue or release: the reference of the reserve whose reservation it uses up.'),
  expiresAt: z.date().nullish().describe('For a reserve: when what is left of it is free again.'),
  occurredAt: z.date().nullish().describe('When the goods moved; left out: now.'),
});

export const transferStockInput = z.object({
  sku: sku.describe('Of a product.'),
  from: location.describe('The location that it is taken from.'),
  to: location.describe('The location that it is added to.'),
  quantity: decimal({ sign: 'positive' }).describe('More than 0.'),
  reference: reference
    .max(187)
    .describe('At most 187 characters; the movements have it with `:out` and `:in` behind it.'),
  note: note.nullish().describe('For people, at most 1,000 characters.'),
  occurredAt: z.date().nullish().describe('When the goods moved; left out: now.'),
});

export const setReorderPointInput = z.object({
  sku: sku.describe('Of a product.'),
  location: location.nullish().describe('Left out: `main`.'),
  reorderPoint: decimal({ sign: 'not negative' }).nullish().describe('0 or more; null clears it.'),
});

export const defaultLocation = 'main';
/** Locations of one article: every response about the article lists them all. */
export const maxLocations = 1_000;
export const tooManyLocations = `An article has at most ${maxLocations} locations; use one that it has.`;

/** The movements that callers book: quantities as decimal text within the bounds of the inputs. */
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
