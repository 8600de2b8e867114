import fc from 'fast-check';
import { beforeEach, describe, expect } from 'vitest';
import { runCauseway } from '#bin/causeway.ts';
import { createProduct } from '#src/commerce/products/products.service.ts';
import { releaseExpiredReservations } from '#src/commerce/stock/stock-expiry.service.ts';
import { verifyNightly, verifyStock } from '#src/commerce/stock/stock-verification.service.ts';
import { movementKinds, type NewMovement } from '#src/commerce/stock/stock.inputs.ts';
import { findStock } from '#src/commerce/stock/stock.reads.ts';
import { bookMovement, bookMovements } from '#src/commerce/stock/stock.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { AppError } from '#src/infra/errors.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

const actor = systemActor('acme', 'acme-shop');
let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

let made = 0;
let sku: string;
beforeEach(async () => {
  made += 1;
  sku = `RACED-${made}`;
  await createProduct(api.deps, actor, { sku, name: 'Raced' });
});

const movement = (kind: NewMovement['kind'], quantity: string, more: Partial<NewMovement> = {}): NewMovement => {
  made += 1;
  return { sku, kind, quantity, reference: `raced-${made}`, ...more };
};
const book = (given: NewMovement, app = api) => bookMovement(app.services.commerce, actor, given);
const stock = () => findStock(api.database, 'acme-shop', sku);
const outcome = (booking: Promise<unknown>) =>
  booking.then(
    () => 'booked',
    (error: unknown) => (error instanceof AppError ? error.code : error),
  );

async function differences() {
  const found = [];
  for await (const { differences: some } of verifyStock(api.database)) found.push(...some);
  return found;
}

describe('clients that book at the same time', () => {
  test('never take more than the available stock, in one process or two', async ({ startBeside }) => {
    const beside = await startBeside();
    await book(movement('receipt', '20'));
    const taken = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        outcome(book(movement(index % 3 === 0 ? 'reserve' : 'issue', '1'), index % 2 === 0 ? api : beside)),
      ),
    );
    expect(taken.filter((one) => one === 'booked')).toHaveLength(20);
    expect(taken.filter((one) => one === 'CONFLICT')).toHaveLength(40);
    expect(await stock()).toMatchObject({ available: '0' });
  });

  test('succeed or fail individually, whatever happens to the others in the batch', async () => {
    await book(movement('receipt', '3'));
    // Two batches are booked concurrently, so no result may depend on their order.
    const answers = await Promise.all(
      [
        movement('issue', '6'),
        movement('receipt', '2'),
        movement('receipt', '1', { sku: 'NOTHING' }),
        movement('issue', '3'),
        movement('issue', '7'),
      ].map((given) => outcome(book(given))),
    );
    expect(answers).toEqual(['CONFLICT', 'booked', 'VALIDATION_FAILED', 'booked', 'CONFLICT']);
    expect(await stock()).toMatchObject({ onHand: '2' });
  });

  test('have one effect with one reference, and other content is refused', async ({ startBeside }) => {
    const beside = await startBeside();
    const given = movement('receipt', '3');
    const elsewhere = { ...given, location: 'north' };
    const answers = await Promise.all(
      [given, elsewhere, given, elsewhere, given].map((one, index) =>
        outcome(book(one, index % 2 === 0 ? api : beside)),
      ),
    );
    expect(await stock()).toMatchObject({ onHand: '3' });
    expect(answers.filter((one) => one === 'booked').length + answers.filter((one) => one === 'CONFLICT').length).toBe(
      5,
    );
  });

  test('do not wait for each other at new places', async ({ startBeside }) => {
    const beside = await startBeside();
    for (let round = 0; round < 8; round += 1) {
      const [first, second] = [`${sku}-${round}-A`, `${sku}-${round}-Z`];
      await createProduct(api.deps, actor, { sku: first, name: 'Raced' });
      await createProduct(api.deps, actor, { sku: second, name: 'Raced' });
      await book(movement('receipt', '40', { sku: second }));
      // In transactions of their own, as orders book; the place of the first article is new and sorts before that of the second.
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, index) => {
          const pair = [movement('receipt', '1', { sku: first }), movement('issue', '1', { sku: second })];
          const { database } = index % 2 === 0 ? api : beside;
          return outcome(database.withTenant('acme-shop', (tx) => bookMovements(tx, actor, pair)));
        }),
      );
      expect(answers).toEqual(answers.map(() => 'booked'));
      expect(await findStock(api.database, 'acme-shop', first)).toMatchObject({ onHand: '12' });
    }
  });
});

describe('a reservation that expires', () => {
  const expiresAt = new Date(Date.now() + 3_600_000);
  /** Moves the reservation's end to now, so that a slow machine has the time to book before it. */
  const expire = async (reference: string): Promise<Date> => {
    const { rows } = await api.database.withTenant('acme-shop', (tx) =>
      tx.query<{ expires_at: Date }>(
        `UPDATE stock_reservations SET expires_at = date_trunc('milliseconds', now()) WHERE reference = $1 RETURNING expires_at`,
        [reference],
      ),
    );
    return rows[0]?.expires_at as Date;
  };

  test('is free from that moment, and is then released with its own reference', async () => {
    const reserve = movement('reserve', '4', { expiresAt });
    const reservation = reserve.reference;
    await book(movement('receipt', '5'));
    await book(reserve);
    await book(movement('issue', '1', { reservation }));
    expect(await stock()).toMatchObject({ onHand: '4', reserved: '3', available: '1' });
    const expiredAt = await expire(reservation);
    expect(await stock()).toMatchObject({ reserved: '0', available: '4' });
    while (await releaseExpiredReservations(api.deps));
    const { rows } = await api.database.system.query(
      `SELECT kind, quantity::text, reserved_delta::text, occurred_at FROM stock_movements WHERE reference = $1`,
      [`${reservation}:expired`],
    );
    expect(rows).toEqual([{ kind: 'release', quantity: '3', reserved_delta: '-3', occurred_at: expiredAt }]);
    expect(await stock()).toMatchObject({ reserved: '0', available: '4' });
    expect(await book(reserve)).toMatchObject({ repeated: true, quantity: '4' });
  });

  test('can be taken by others immediately, and no longer be issued', async () => {
    const reserve = movement('reserve', '5', { expiresAt });
    await book(movement('receipt', '5'));
    await book(reserve);
    await expire(reserve.reference);
    const answers = await Promise.all([
      outcome(book(movement('issue', '5', { reservation: reserve.reference }))),
      outcome(book(movement('issue', '5'))),
      releaseExpiredReservations(api.deps),
    ]);
    expect(answers.slice(0, 2)).toEqual(['CONFLICT', 'booked']);
    expect(await stock()).toMatchObject({ onHand: '0', reserved: '0', available: '0' });
  });
});

describe('the sum of the ledger', () => {
  test('equals the balance, after any movements of concurrent clients', { timeout: 120_000 }, async () => {
    // Few references, so that some repeat, with the same content or with other.
    const reference = fc.integer({ min: 0, max: 40 });
    const given = fc.record({
      kind: fc.constantFrom('receipt', 'reserve', 'issue', 'release', ...movementKinds),
      units: fc.integer({ min: 1, max: 9_000_000 }),
      location: fc.constantFrom('main', 'north'),
      reference,
      reservation: fc.option(fc.nat(), { freq: 2 }),
      isLess: fc.boolean(),
    });
    let run = 0;
    const booked = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(fc.array(given, { minLength: 10, maxLength: 40 }), async (drawn) => {
        run += 1;
        const makeReference = (number: number) => `${sku}/${run}/${number}`;
        const reserves = drawn.filter(({ kind }) => kind === 'reserve');
        const movements = drawn.map(({ units, isLess, reservation, ...each }): NewMovement => {
          const isUser = each.kind === 'issue' || each.kind === 'release';
          const used = reservation === null || !isUser ? undefined : reserves[reservation % reserves.length];
          return {
            ...each,
            sku,
            location: used?.location ?? each.location,
            quantity: `${each.kind === 'adjustment' && isLess ? '-' : ''}${(units / 1_000_000).toFixed(6)}`,
            reference: makeReference(each.reference),
            reservation: used && makeReference(used.reference),
          };
        });
        await Promise.all(['main', 'north'].map((location) => book(movement('receipt', '20', { location }))));
        // Half of them one by one, which the process books in batches; the rest in transactions of two, as orders do.
        const half = Math.floor(movements.length / 4) * 2;
        const pairs = Array.from({ length: half / 2 }, (_, pair) => movements.slice(2 * pair, 2 * pair + 2));
        const answers = await Promise.all([
          ...movements.slice(half).map((each) => outcome(book(each))),
          ...pairs.map((pair) => outcome(api.database.withTenant('acme-shop', (tx) => bookMovements(tx, actor, pair)))),
        ]);
        for (const answer of answers) {
          expect(['booked', 'CONFLICT', 'VALIDATION_FAILED']).toContain(answer);
          booked.set(String(answer), (booked.get(String(answer)) ?? 0) + 1);
        }
        expect(await differences()).toEqual([]);
      }),
      { numRuns: 15 },
    );
    // The law holds of nothing as well, so enough has to have been booked.
    expect(booked.get('booked')).toBeGreaterThan(75);
  });

  test('is compared with the balances by `causeway stock verify` and the nightly check', async () => {
    let out = '';
    const io = {
      out: (text: string) => void (out += text),
      err: () => undefined,
      env: { DATABASE_URL: api.databaseUrl, NODE_ENV: 'test' },
      cwd: process.cwd(),
    };
    await book(movement('receipt', '7'));
    expect([await runCauseway(['stock', 'verify'], io), out]).toEqual([0, expect.stringContaining('All balances')]);
    await api.database.withTenant('acme-shop', (tx) =>
      tx.query('UPDATE stock_balances SET on_hand = 8 WHERE sku = $1', [sku]),
    );
    out = '';
    expect(await runCauseway(['stock', 'verify', '--tenant', 'acme-shop', '--json'], io)).toBe(1);
    const difference = { tenant: 'acme-shop', sku, location: 'main', reserved: '0', ledger_reserved: '0', held: '0' };
    expect(JSON.parse(out)).toEqual({
      tenants: 1,
      count: 1,
      differences: [{ ...difference, on_hand: '8', ledger_on_hand: '7' }],
    });
    for (let night = 0; night < 2; night += 1) await verifyNightly(api.deps, new AbortController().signal);
    expect(api.logLines.filter((line) => line.includes('Stock balances differ'))).toHaveLength(1);
    const { rows } = await api.database.system.query('SELECT differences FROM stock_checks');
    expect(rows).toEqual([{ differences: 1 }]);
  });
});
