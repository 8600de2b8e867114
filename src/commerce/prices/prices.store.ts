import type { Tx } from '#src/infra/postgres/tx.ts';
import { priceColumns, type PriceKey, type PriceRow } from './prices.reads.ts';

export interface NewPrice extends PriceKey {
  amount: string;
  validUntil: Date | null;
}

/** Locks the list of a code against deletion until the transaction ends, and checks that there is a product with the SKU. */
export async function holdPriceList(
  tx: Tx,
  tenantId: string,
  { code, sku }: { code: string; sku: string },
): Promise<{ id: number; isSold: boolean } | undefined> {
  const { rows } = await tx.query<{ id: number; isSold: boolean }>({
    name: 'hold-price-list',
    text: `SELECT id, EXISTS (SELECT FROM products WHERE tenant_id = $1 AND sku = $3) AS "isSold"
      FROM price_lists WHERE tenant_id = $1 AND code = $2 FOR KEY SHARE`,
    values: [tenantId, code, sku],
  });
  return rows[0];
}

/**
 * Inserts a price, or changes the one with its key: list, SKU, quantity and start. Returns undefined if there is an equal price already. In
 * SQL, because Prisma's decimals lose the trailing zeros of an amount.
 */
export async function writePrice(
  tx: Tx,
  tenantId: string,
  { listId, sku, quantityFrom, amount, validFrom, validUntil }: NewPrice,
): Promise<PriceRow | undefined> {
  const { rows } = await tx.query<PriceRow>({
    name: 'write-price',
    text: `
      WITH price AS (
        INSERT INTO prices AS p (tenant_id, list_id, sku, quantity_from, amount, valid_from, valid_until)
        VALUES ($1, $2, $3, trim_scale($4::numeric), $5::numeric, $6, $7)
        ON CONFLICT (tenant_id, sku, list_id, quantity_from, valid_from) DO UPDATE
          SET amount = excluded.amount, valid_until = excluded.valid_until, updated_at = CURRENT_TIMESTAMP
          WHERE (p.amount, p.valid_until) IS DISTINCT FROM (excluded.amount, excluded.valid_until)
        RETURNING *
      )
      SELECT ${priceColumns} FROM price JOIN price_lists l ON l.tenant_id = price.tenant_id AND l.id = price.list_id`,
    values: [tenantId, listId, sku, quantityFrom, amount, validFrom, validUntil],
  });
  return rows[0];
}
