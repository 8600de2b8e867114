import type { Database } from '#src/infra/postgres/database.ts';
import type { OrderedList } from '#src/infra/postgres/lists/ordered-list.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';

/**
 * A price with the attributes of its list: code, currency, and whether prices include the tax. Decimals are text, with the digits that the
 * database has.
 */
export interface PriceRow {
  id: number;
  list: string;
  sku: string;
  quantityFrom: string;
  amount: string;
  currency: string;
  taxIncluded: boolean;
  validFrom: Date | null;
  validUntil: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** The unique key of a price. */
export interface PriceKey {
  listId: number;
  sku: string;
  quantityFrom: string;
  validFrom: Date | null;
}

/** The columns of a PriceRow, of `price` and its list `l`. */
export const priceColumns = `price.id, l.code AS list, price.sku, price.quantity_from::text AS "quantityFrom",
  price.amount::text AS amount, l.currency, l.tax_included AS "taxIncluded", price.valid_from AS "validFrom", price.valid_until AS "validUntil",
  price.created_at AS "createdAt", price.updated_at AS "updatedAt"`;
const prices = `prices price JOIN price_lists l ON l.tenant_id = price.tenant_id AND l.id = price.list_id`;

/** Prices by id, in any order; unknown ids are left out. */
export const findPrices = (
  database: Pick<Database, 'tenantQuery'>,
  tenantId: string,
  ids: readonly string[],
): Promise<PriceRow[]> =>
  database.tenantQuery<PriceRow & Record<string, unknown>>(tenantId, {
    text: `SELECT ${priceColumns} FROM ${prices} WHERE price.tenant_id = $1 AND price.id = ANY($2::bigint[])`,
    values: [tenantId, ids],
  });

/** The price with the key. */
export async function findPriceByKey(
  tx: Tx,
  tenantId: string,
  { listId, sku, quantityFrom, validFrom }: PriceKey,
): Promise<PriceRow> {
  const { rows } = await tx.query<PriceRow>(
    `SELECT ${priceColumns} FROM ${prices} WHERE price.tenant_id = $1 AND price.sku = $2 AND price.list_id = $3
      AND price.quantity_from = $4::numeric AND price.valid_from IS NOT DISTINCT FROM $5`,
    [tenantId, sku, listId, quantityFrom, validFrom],
  );
  return rows[0] as PriceRow;
}

/** All given filters must match; a filter that is null or absent does not apply. */
export interface PriceFilter {
  tenantId: string;
  listId?: bigint;
  sku?: string | null;
}

export const priceList: OrderedList<'SKU', PriceFilter> = {
  from: 'prices',
  id: { sql: 'id', type: 'bigint' },
  orders: { SKU: [{ sql: 'sku', type: 'text' }] },
  where({ tenantId, listId, sku }, parameters) {
    const conditions = [`tenant_id = ${parameters.add(tenantId)}`];
    if (listId !== undefined) conditions.push(`list_id = ${parameters.add(listId)}`);
    if (sku != null) conditions.push(`sku = ${parameters.add(sku)}`);
    return conditions;
  },
};

export const priceListList: OrderedList<'CODE' | 'CREATED_AT' | 'UPDATED_AT', { tenantId: string }> = {
  from: 'price_lists',
  id: { sql: 'id', type: 'bigint' },
  orders: {
    CODE: [{ sql: 'code', type: 'text' }],
    CREATED_AT: [{ sql: 'created_at', type: 'timestamptz' }],
    UPDATED_AT: [{ sql: 'updated_at', type: 'timestamptz' }],
  },
  where: ({ tenantId }, parameters) => [`tenant_id = ${parameters.add(tenantId)}`],
};
