import type { AppError } from '#src/infra/errors.ts';
import { awaitAll, Pipelined, type Tx } from '#src/infra/postgres/tx.ts';
import { wakeRelay } from '#src/journal/outbox/outbox.ts';
import { type Group, movementLocation, placeKey, type Plan, planBooking } from './booking.rules.ts';
import { changedData, lowData } from './stock-events.rules.ts';
import type { Movement, NewMovement } from './stock.inputs.ts';
import { lockLedger, makeBalances, type Place, unmakeBalances, writeLedger } from './stock.store.ts';

/** A movement of the ledger; `repeated` if its reference had been booked before. */
export type Booked = Movement & { repeated: boolean };

/** The outcome of each group: its movements, or why it is refused. */
export interface BookedGroups {
  /** Known before the movements are written. */
  refusals: (AppError | null)[];
  booked: Pipelined<(Booked[] | AppError)[]>;
}

/** Books the groups, each completely or not at all. The statements that write are sent without waiting. */
export async function sendGroups(tx: Tx, tenantId: string, groups: readonly Group[]): Promise<BookedGroups> {
  const wanted = wantedBy(groups.flat());
  if (wanted.references.length === 0)
    return { refusals: groups.map(() => null), booked: new Pipelined(Promise.resolve(groups.map(() => []))) };
  let ledger = await lockLedger(tx, tenantId, wanted, { ifMissing: 'lock-nothing' });
  const { missing } = ledger;
  const made = missing.length > 0 ? await makeBalances(tx, tenantId, missing) : [];
  if (missing.length > 0) ledger = await lockLedger(tx, tenantId, wanted, { ifMissing: 'lock-others' });

  const plan = planBooking(ledger, groups);
  const writing = write(tx, tenantId, ledger.at, plan);
  const unmoved = made.filter(({ sku, location }) => !plan.balances.has(placeKey(sku, location)));
  const unmaking = unmoved.length > 0 ? unmakeBalances(tx, tenantId, unmoved) : Promise.resolve();
  const booked = awaitAll([writing, unmaking]).then(([written]) => toAnswers(groups, plan, ledger.booked, written));
  return { refusals: plan.refusals, booked: new Pipelined(booked) };
}

function toAnswers(
  groups: readonly Group[],
  { refusals }: Plan,
  before: ReadonlyMap<string, Movement>,
  booked: ReadonlyMap<string, Movement>,
): (Booked[] | AppError)[] {
  const answered = new Set(before.keys());
  return groups.map((group, index) => {
    const refusal = refusals[index];
    if (refusal) return refusal;
    return group.map(({ reference }) => {
      const repeated = answered.has(reference);
      answered.add(reference);
      return { ...((before.get(reference) ?? booked.get(reference)) as Movement), repeated };
    });
  });
}

/** Releases the expired reservations at the places. */
export async function releaseExpired(tx: Tx, tenantId: string, places: Place[]): Promise<void> {
  const wanted = { places, references: [], reservations: [], released: [] };
  const ledger = await lockLedger(tx, tenantId, wanted, { ifMissing: 'lock-others' });
  await write(tx, tenantId, ledger.at, planBooking(ledger, []));
}

/** The rows to lock and read for the movements. */
function wantedBy(movements: readonly NewMovement[]) {
  const listPlaces = (some: readonly NewMovement[]): Place[] => [
    ...new Map(
      some.map((movement) => {
        const place = { sku: movement.sku, location: movementLocation(movement) };
        return [placeKey(place.sku, place.location), place] as const;
      }),
    ).values(),
  ];
  return {
    places: listPlaces(movements),
    references: movements.map(({ reference }) => reference),
    reservations: movements.flatMap(({ reservation }) => reservation ?? []),
    released: listPlaces(movements.filter(({ kind, reservation }) => kind === 'release' && reservation == null)),
  };
}

/** Writes the plan, and returns the movements by reference. */
async function write(tx: Tx, tenantId: string, at: Date, plan: Plan): Promise<Map<string, Movement>> {
  if (plan.entries.length === 0) return new Map();
  const held = [...plan.reservations.values()];
  wakeRelay(tx);
  const ids = await writeLedger(tx, tenantId, {
    changes: plan.entries.map((entry) => changedData(entry, at)),
    balances: [...plan.balances].map(([place, { onHand, reserved }]) => {
      const [sku, location] = JSON.parse(place) as [string, string];
      return { sku, location, on_hand: onHand.toFixed(), reserved: reserved.toFixed() };
    }),
    reservations: held.flatMap(({ reference, sku, location, remaining, expiresAt }) =>
      remaining.isZero() ? [] : [{ reference, sku, location, remaining: remaining.toFixed(), expires_at: expiresAt }],
    ),
    usedUp: held.flatMap(({ reference, remaining }) => (remaining.isZero() ? [reference] : [])),
    lows: plan.entries.filter(({ isLow }) => isLow).map(lowData),
  });
  return new Map(
    plan.entries.map(({ after: _after, isLow: _isLow, ...entry }) => {
      const { reference } = entry;
      return [reference, { ...entry, id: ids.get(reference) as number, createdAt: at }] as const;
    }),
  );
}
