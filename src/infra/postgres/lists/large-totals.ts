import { hash } from 'node:crypto';
import type pg from 'pg';
import type { TenantStatement } from '#src/infra/postgres/statements/tenant-query.ts';

/** Totals from here on are remembered; a smaller one is counted within a millisecond. */
const largeFrom = 10_000;
const rememberedMs = 10_000;
const maxRemembered = 5_000;

interface Total {
  count: number;
  until: number;
}

/**
 * Remembers the large totals of lists for ten seconds: counting 100,000 rows takes longer than reading a page of them, and a list that is
 * asked for again and again shows a total that has hardly changed. Those that ask at the same time share one count.
 */
export class LargeTotals {
  readonly #totals = new Map<string, Total>();
  readonly #counting = new Map<string, Promise<number>>();

  /** Runs a statement of a tenant; one that counts the rows of a list only if its last answer was not large, or is too old. */
  apply<Row extends pg.QueryResultRow>(
    tenantId: string,
    statement: TenantStatement,
    run: () => Promise<Row[]>,
  ): Promise<Row[]> {
    return statement.countsList ? this.#count(tenantId, statement, run) : run();
  }

  async #count<Row extends pg.QueryResultRow>(
    tenantId: string,
    { text, values }: TenantStatement,
    run: () => Promise<Row[]>,
  ): Promise<Row[]> {
    // Values may be long, and are kept by the thousand.
    const key = hash('sha256', JSON.stringify([tenantId, text, values ?? []], withBigInts), 'base64');
    const known = this.#totals.get(key);
    if (known && performance.now() < known.until) return asRows(known.count);
    // Whoever asks for a small total expects what was just written.
    const shared = known && this.#counting.get(key);
    if (shared) return asRows(await shared);
    const counting = run().then(([row]) => Number(row?.['count'] ?? 0));
    this.#counting.set(key, counting);
    try {
      const count = await counting;
      this.#remember(key, count);
      return asRows(count);
    } finally {
      if (this.#counting.get(key) === counting) this.#counting.delete(key);
    }
  }

  #remember(key: string, count: number): void {
    this.#totals.delete(key);
    if (count < largeFrom) return;
    if (this.#totals.size >= maxRemembered) this.#totals.delete(this.#totals.keys().next().value as string);
    this.#totals.set(key, { count, until: performance.now() + rememberedMs });
  }
}

const asRows = <Row>(count: number): Row[] => [{ count } as Row];

const withBigInts = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}n` : value);
