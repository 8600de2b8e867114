import type { Actor } from '#src/infra/deps.ts';
import { AppError, ConflictError, type FieldErrors, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { type Batcher, createBatcher } from '#src/infra/postgres/batching/batcher.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { isUniqueViolation } from '#src/infra/postgres/sql-errors.ts';
import { pipelineForEachTenant } from '#src/infra/postgres/tenant-scope.ts';
import { Pipelined, type Tx } from '#src/infra/postgres/tx.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import type { Group } from './booking.rules.ts';
import { type Booked, type BookedGroups, sendGroups } from './booking.service.ts';
import { auditedStock } from './stock.declarations.ts';
import {
  bookMovementInput,
  defaultLocation,
  type NewMovement,
  setReorderPointInput,
  tooManyLocations,
  transferStockInput,
} from './stock.inputs.ts';
import { auditBookings, writeReorderPoint } from './stock.store.ts';

/**
 * Books the movements in the caller's transaction, all or none of them: in order, each based on the result of those before it. Throws
 * ValidationError (`movements.0.sku`; `sku` if there is only one) and ConflictError; the caller then rolls back. A reference that was
 * booked before returns its first movement. Call this once in a transaction, so that balances are locked in one order.
 */
export async function bookMovements(
  tx: Tx,
  actor: Pick<Actor, 'tenantId'>,
  movements: readonly NewMovement[],
): Promise<Booked[]> {
  const { booked } = await sendMovementGroups(tx, actor, [movements]);
  const [answer] = await booked.result;
  if (answer instanceof AppError) throw answer;
  return answer ?? [];
}

/**
 * The same for several callers of a tenant: each gets its movements, or the reason why none is booked. The statements that write are sent
 * without waiting.
 */
export async function sendMovementGroups(
  tx: Tx,
  { tenantId }: Pick<Actor, 'tenantId'>,
  groups: readonly (readonly NewMovement[])[],
): Promise<BookedGroups> {
  const { refusals, booked } = await sendGroups(tx, tenantId, groups);
  const explained = booked.result.catch((error: unknown) => {
    if (!isUniqueViolation(error)) throw error;
    throw new ConflictError('A movement with one of the references was booked a moment ago. Send them again.');
  });
  return { refusals, booked: new Pipelined(explained) };
}

/** Movements of one caller, which succeed or fail independently of others in the batch. */
export interface Booking {
  actor: Actor;
  group: Group;
}

export interface StockDeps {
  database: Database;
  /** Books the movements that callers send at the same time in one commit. */
  bookings: Batcher<Booking, Booked[] | AppError>;
}

export const createBookingBatcher = (database: Database): StockDeps['bookings'] =>
  createBatcher({
    async write(bookings) {
      try {
        return await writeBookings(database, bookings);
      } catch (error) {
        // Another process has just booked the reference at another place, and has committed by now.
        if (bookings.length > 1 || !isUniqueViolation(error)) throw error;
        return writeBookings(database, bookings);
      }
    },
    maxBatch: 200,
    concurrency: 4,
    patienceMs: 20,
  });

const writeBookings = (database: Database, bookings: Booking[]): Promise<(Booked[] | AppError)[]> =>
  database.withTenantSql(null, (tx) =>
    pipelineForEachTenant(tx, bookings, ({ actor }) => actor.tenantId, writeOfTenant),
  );

async function writeOfTenant(tx: Tx, bookings: Booking[]): Promise<Pipelined<(Booked[] | AppError)[]>> {
  const tenantId = bookings[0]?.actor.tenantId as string;
  const { booked } = await sendGroups(
    tx,
    tenantId,
    bookings.map(({ group }) => group),
  );
  // Bookings of other systems are recorded only in the ledger, under their references.
  if (bookings.every(({ actor }) => actor.userId === null)) return booked;
  const answers = await booked.result;
  const audited = bookings.flatMap(({ actor }, index) => {
    const answer = answers[index];
    if (actor.userId === null || !Array.isArray(answer)) return [];
    return answer.flatMap((movement) => (movement.repeated ? [] : [{ actor, movement }]));
  });
  return new Pipelined(auditBookings(tx, audited).then(() => answers));
}

/** Books one caller's movements: a single one, or the two of a transfer. */
export async function book({ bookings }: Pick<StockDeps, 'bookings'>, booking: Booking): Promise<Booked[]> {
  const booked = await bookings.add(booking);
  if (booked instanceof AppError) throw booked;
  return booked;
}

export async function bookMovement(deps: Pick<StockDeps, 'bookings'>, actor: Actor, given: unknown): Promise<Booked> {
  const [booked] = await book(deps, { actor, group: [parseInput(bookMovementInput, given)] });
  return booked as Booked;
}

/** Books `<reference>:out` and `<reference>:in` together. */
export async function transferStock(
  deps: Pick<StockDeps, 'bookings'>,
  actor: Actor,
  given: unknown,
): Promise<Booked[]> {
  const { from, to, reference, ...same } = parseInput(transferStockInput, given);
  if (from === to) throw new ValidationError({ to: ['Use another location than the one it is taken from.'] });
  const group: Group = [
    { ...same, kind: 'transfer_out', location: from, reference: `${reference}:out` },
    { ...same, kind: 'transfer_in', location: to, reference: `${reference}:in` },
  ];
  return book(deps, { actor, group }).catch((error: unknown) => {
    throw error instanceof ValidationError ? new ValidationError(asOfTransfer(error.fields)) : error;
  });
}

/** Faults of the two movements, at the fields of the transfer. */
const asOfTransfer = (faults: FieldErrors): FieldErrors =>
  Object.fromEntries(
    Object.entries(faults).map(([path, messages]) => {
      const [, ordinal, name = path] = /^movements\.(\d)\.(.+)$/.exec(path) ?? [];
      return [name === 'location' ? (ordinal === '0' ? 'from' : 'to') : name, messages];
    }),
  );

/**
 * Sets the quantity below which a location is low; null clears it. ValidationError at `sku` if there is no such product, at `location` if
 * the article has too many.
 */
export async function setReorderPoint(
  { database }: Pick<StockDeps, 'database'>,
  actor: Actor,
  given: unknown,
): Promise<void> {
  const { sku, location, reorderPoint = null } = parseInput(setReorderPointInput, given);
  const { tenantId } = actor;
  const place = { sku, location: location ?? defaultLocation };
  await database.withTenantSql(tenantId, async (tx) => {
    const { isSold, isWritten } = await writeReorderPoint(tx, tenantId, place, reorderPoint);
    if (!isSold) throw new ValidationError({ sku: ['There is no product with this SKU.'] });
    if (!isWritten) throw new ValidationError({ location: [tooManyLocations] });
    const metadata = { location: place.location, reorder_point: reorderPoint };
    await recordAudit(tx, actor, { resource: auditedStock, action: 'set_reorder_point', resourceId: sku, metadata });
  });
}
