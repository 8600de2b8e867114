import { type Exact, exact } from '#src/infra/exact.ts';
import type { MovementKind } from './stock.inputs.ts';

const signs = {
  positive: { fits: (quantity: Exact) => quantity.gt(0), fault: 'Use more than 0.' },
  'not negative': { fits: (quantity: Exact) => quantity.gte(0), fault: 'Use 0 or more.' },
  'not zero': { fits: (quantity: Exact) => !quantity.isZero(), fault: 'Use a number other than 0.' },
};

export interface KindRule {
  /** The effect of the quantity on what is on hand: it is added, subtracted, or becomes the new value. */
  onHand: 1 | -1 | 0 | 'set';
  reserved: 1 | -1 | 0;
  /** The figure of the location that the quantity may not exceed. */
  within?: 'available' | 'reserved' | 'onHand';
  quantity: keyof typeof signs;
}

/** The effect of each kind of movement, and its bound. */
export const kindRules: Record<MovementKind, KindRule> = {
  receipt: { onHand: 1, reserved: 0, quantity: 'positive' },
  issue: { onHand: -1, reserved: 0, within: 'available', quantity: 'positive' },
  return: { onHand: 1, reserved: 0, quantity: 'positive' },
  adjustment: { onHand: 1, reserved: 0, within: 'onHand', quantity: 'not zero' },
  // A count states a fact, so nothing bounds it; the available quantity may become negative.
  count: { onHand: 'set', reserved: 0, quantity: 'not negative' },
  transfer_in: { onHand: 1, reserved: 0, quantity: 'positive' },
  transfer_out: { onHand: -1, reserved: 0, within: 'available', quantity: 'positive' },
  reserve: { onHand: 0, reserved: 1, within: 'available', quantity: 'positive' },
  release: { onHand: 0, reserved: -1, within: 'reserved', quantity: 'positive' },
};

/** An issue that names a reservation takes reserved stock, and so does not change the available quantity. */
export const issueOfReserved: KindRule = { onHand: -1, reserved: -1, within: 'onHand', quantity: 'positive' };

export interface Effect {
  delta: Exact;
  reservedDelta: Exact;
}

export const computeEffect = ({ onHand, reserved }: KindRule, quantity: Exact, present: Exact): Effect => ({
  delta: onHand === 'set' ? quantity.minus(present) : quantity.times(onHand),
  reservedDelta: quantity.times(reserved),
});

interface Stated {
  kind: MovementKind;
  quantity: string;
  reservation?: string | null | undefined;
  expiresAt?: Date | null | undefined;
}

/** The faults of a movement for its kind, by field; null if there are none. */
export function movementFaults({ kind, quantity, reservation, expiresAt }: Stated): Record<string, string> | null {
  const { fits, fault } = signs[kindRules[kind].quantity];
  const faults = {
    ...(!fits(exact(quantity)) && { quantity: fault }),
    ...(reservation != null &&
      kind !== 'issue' &&
      kind !== 'release' && { reservation: 'Only an issue or a release uses up a reservation.' }),
    ...(expiresAt != null && kind !== 'reserve' && { expiresAt: 'Only a reserve expires.' }),
  };
  return Object.keys(faults).length > 0 ? faults : null;
}
