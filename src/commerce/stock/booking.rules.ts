import { AppError, ConflictError, ValidationError } from '#src/infra/errors.ts';
import { type Exact, exact, zero } from '#src/infra/exact.ts';
import { computeEffect, issueOfReserved, type KindRule, kindRules, movementFaults } from './movement-kinds.rules.ts';
import {
  defaultLocation,
  expiredSuffix,
  isOfOrder,
  type Movement,
  type NewMovement,
  tooManyLocations,
} from './stock.inputs.ts';

/** A location's figures for one article. */
export interface Balance {
  onHand: Exact;
  reserved: Exact;
  reorderPoint: Exact | null;
}

export interface Reservation {
  reference: string;
  sku: string;
  location: string;
  remaining: Exact;
  expiresAt: Date | null;
}

/** The data, read under locks, that bookings are decided on. */
export interface Ledger {
  at: Date;
  /** The SKUs of products. */
  sold: ReadonlySet<string>;
  balances: ReadonlyMap<string, Balance>;
  /** By reference, in the order of expiry. */
  reservations: ReadonlyMap<string, Reservation>;
  booked: ReadonlyMap<string, Content>;
}

/** The content that a repeat must have in common with the first. */
type Content = Pick<Movement, 'sku' | 'location' | 'kind' | 'quantity'>;

/** A movement to write, with the figures of its location after it. */
export interface Entry extends Omit<Movement, 'id' | 'createdAt'> {
  after: Balance;
  /** True if it took the available quantity below the reorder point. */
  isLow: boolean;
}

/** Movements that are booked all together or not at all. */
export type Group = readonly NewMovement[];

export interface Plan {
  entries: Entry[];
  /** Figures that changed. */
  balances: Map<string, Balance>;
  /** Reservations that changed; those with nothing remaining are to be deleted. */
  reservations: Map<string, Reservation>;
  /** Why each group is refused; null if it is booked. */
  refusals: (AppError | null)[];
}

export const placeKey = (sku: string, location: string): string => JSON.stringify([sku, location]);
export const movementLocation = ({ location }: NewMovement): string => location ?? defaultLocation;
export const availableQuantity = ({ onHand, reserved }: Balance): Exact => onHand.minus(reserved);

/** Decides on the groups in their order, each based on the result of those before it. */
export function planBooking(ledger: Ledger, groups: readonly Group[]): Plan {
  const plan = new Draft(ledger, null);
  for (const each of ledger.reservations.values()) {
    // A reservation that a movement names may be at a place that is not locked.
    const isLocked = ledger.balances.has(placeKey(each.sku, each.location));
    if (isLocked && each.expiresAt !== null && each.expiresAt <= ledger.at) plan.releaseExpired(each);
  }
  const refusals = groups.map((group) => {
    const draft = new Draft(ledger, plan);
    try {
      group.forEach((movement, index) => draft.book(movement, group.length > 1 ? `movements.${index}.` : ''));
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
    plan.take(draft);
    return null;
  });
  return { entries: plan.entries, balances: plan.balances, reservations: plan.reservations, refusals };
}

const nothing: Balance = { onHand: zero, reserved: zero, reorderPoint: null };

/**
 * The changes to book. A group has a draft of its own on top of the plan's, which is merged into it if the complete group can be booked.
 */
class Draft {
  readonly entries: Entry[] = [];
  readonly balances = new Map<string, Balance>();
  readonly reservations = new Map<string, Reservation>();
  readonly booked = new Map<string, Entry>();
  readonly #ledger: Ledger;
  readonly #plan: Draft | null;

  constructor(ledger: Ledger, plan: Draft | null) {
    this.#ledger = ledger;
    this.#plan = plan;
  }

  take({ entries, balances, reservations }: Draft): void {
    for (const entry of entries) {
      this.entries.push(entry);
      this.booked.set(entry.reference, entry);
    }
    for (const [place, balance] of balances) this.balances.set(place, balance);
    for (const [reference, reservation] of reservations) this.reservations.set(reference, reservation);
  }

  /** Adds the movement, unless its reference has been booked with the same content. `at` is the path prefix of its faults. */
  book(movement: NewMovement, at: string): void {
    const { sku, kind, reference } = movement;
    const location = movementLocation(movement);
    const faults = movementFaults(movement);
    if (faults)
      throw new ValidationError(
        Object.fromEntries(Object.entries(faults).map(([name, fault]) => [at + name, [fault]])),
      );
    const first = this.#bookedAs(reference);
    if (first) return sameOrConflict(first, { ...movement, location });
    // Stock that orders of a deleted product reserve can still be shipped or released.
    if (movement.reservation == null && !this.#ledger.sold.has(sku))
      throw new ValidationError({ [`${at}sku`]: ['There is no product with this SKU.'] });
    if (kind === 'reserve' && movement.expiresAt && movement.expiresAt <= this.#ledger.at)
      throw new ValidationError({ [`${at}expiresAt`]: ['Use an instant in the future.'] });

    const quantity = exact(movement.quantity);
    const rule = kind === 'issue' && movement.reservation != null ? issueOfReserved : kindRules[kind];
    const before = this.#findBalance(placeKey(sku, location));
    if (kind === 'reserve')
      this.#keep({ reference, sku, location, remaining: quantity, expiresAt: movement.expiresAt ?? null });
    else if (movement.reservation != null) this.#useUp(movement.reservation, { sku, location, quantity, at });
    within(rule, quantity, before, `${sku} at ${location}`);
    if (kind === 'release' && movement.reservation == null) this.#useUpOldest({ sku, location, quantity });
    // Each place has a row by now, unless the article has too many locations.
    if (!this.#ledger.balances.has(placeKey(sku, location)))
      throw new ValidationError({ [`${at}location`]: [tooManyLocations] });
    this.#enter(rule, before, {
      ...movement,
      location,
      note: movement.note ?? null,
      reservation: movement.reservation ?? null,
      expiresAt: (kind === 'reserve' && movement.expiresAt) || null,
      occurredAt: movement.occurredAt ?? this.#ledger.at,
    });
  }

  releaseExpired({ reference, sku, location, remaining, expiresAt }: Reservation): void {
    const before = this.#findBalance(placeKey(sku, location));
    this.#keep({ reference, sku, location, remaining: zero, expiresAt });
    this.#enter(kindRules.release, before, {
      sku,
      location,
      kind: 'release',
      quantity: remaining.toFixed(),
      reference: `${reference}${expiredSuffix}`,
      note: null,
      reservation: reference,
      expiresAt: null,
      occurredAt: expiresAt ?? this.#ledger.at,
    });
  }

  #enter(rule: KindRule, before: Balance, movement: Omit<Entry, 'delta' | 'reservedDelta' | 'after' | 'isLow'>): void {
    const quantity = exact(movement.quantity);
    const { delta, reservedDelta } = computeEffect(rule, quantity, before.onHand);
    const after = { ...before, onHand: before.onHand.plus(delta), reserved: before.reserved.plus(reservedDelta) };
    const { reorderPoint } = before;
    const entry: Entry = {
      ...movement,
      quantity: quantity.toFixed(),
      delta: delta.toFixed(),
      reservedDelta: reservedDelta.toFixed(),
      after,
      isLow:
        reorderPoint !== null &&
        availableQuantity(before).gte(reorderPoint) &&
        availableQuantity(after).lt(reorderPoint),
    };
    this.balances.set(placeKey(movement.sku, movement.location), after);
    this.entries.push(entry);
    this.booked.set(entry.reference, entry);
  }

  #useUp(reference: string, { sku, location, quantity, at }: Use & { at: string }): void {
    const held = this.#findReservation(reference);
    if (!held || held.remaining.isZero())
      throw new ConflictError(
        `Nothing is left of the reservation "${reference}": it was used up, released or has expired.`,
      );
    if (held.sku !== sku || held.location !== location)
      throw new ValidationError({ [`${at}reservation`]: [`It is of ${held.sku} at ${held.location}.`] });
    if (quantity.gt(held.remaining))
      throw new ConflictError(`Only ${held.remaining.toFixed()} is left of the reservation "${reference}".`);
    this.#keep({ ...held, remaining: held.remaining.minus(quantity) });
  }

  /** A release without a named reservation uses up those that expire first, except those of orders. */
  #useUpOldest({ sku, location, quantity }: Use): void {
    let left = quantity;
    const all = [this.#ledger, this.#plan, this].flatMap((each) => [...(each?.reservations.keys() ?? [])]);
    for (const reference of new Set(all)) {
      const held = this.#findReservation(reference);
      if (!held || left.isZero()) break;
      if (held.sku !== sku || held.location !== location || isOfOrder(reference)) continue;
      const used = left.lt(held.remaining) ? left : held.remaining;
      this.#keep({ ...held, remaining: held.remaining.minus(used) });
      left = left.minus(used);
    }
    if (!left.isZero())
      throw new ConflictError(`Orders reserve ${left.toFixed()} of it: ship, complete or cancel them instead.`);
  }

  #keep(reservation: Reservation): void {
    this.reservations.set(reservation.reference, reservation);
  }

  #findBalance(place: string): Balance {
    return this.balances.get(place) ?? this.#plan?.balances.get(place) ?? this.#ledger.balances.get(place) ?? nothing;
  }

  #findReservation(reference: string): Reservation | undefined {
    const drafted = this.reservations.get(reference) ?? this.#plan?.reservations.get(reference);
    return drafted ?? this.#ledger.reservations.get(reference);
  }

  #bookedAs(reference: string): Content | undefined {
    const drafted = this.booked.get(reference) ?? this.#plan?.booked.get(reference);
    return drafted ?? this.#ledger.booked.get(reference);
  }
}

interface Use {
  sku: string;
  location: string;
  quantity: Exact;
}

const figureNames = { available: 'available', reserved: 'reserved', onHand: 'on hand' };

function within({ within: bound, onHand }: KindRule, quantity: Exact, balance: Balance, where: string): void {
  if (bound === undefined) return;
  const figure = bound === 'available' ? availableQuantity(balance) : balance[bound];
  const taken = onHand === 1 ? quantity.negated() : quantity;
  if (taken.gt(figure)) throw new ConflictError(`Only ${figure.toFixed()} of ${where} is ${figureNames[bound]}.`);
}

const contents = ['sku', 'location', 'kind', 'quantity'] as const;

function sameOrConflict(first: Content, given: Content): void {
  const other = contents.filter((name) =>
    name === 'quantity' ? !exact(first.quantity).eq(given.quantity) : first[name] !== given[name],
  );
  if (other.length === 0) return;
  throw new ConflictError(
    `The reference has been used for a movement with another ${other.join(', ')}. Use a reference for one movement alone.`,
  );
}
