import { zero } from '#src/infra/exact.ts';
import { isStorable } from '#src/infra/json.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import type { OrderedList } from '#src/infra/postgres/lists/ordered-list.ts';

export interface StockFigures {
  onHand: string;
  reserved: string;
  available: string;
  reorderPoint: string | null;
}

export interface LocationStock extends StockFigures {
  location: string;
}

/** An article's stock, in sum and per location. */
export interface Stock extends StockFigures {
  sku: string;
  locations: LocationStock[];
}

interface Row {
  sku: string;
  location: string | null;
  onHand: string;
  reserved: string;
  available: string;
  reorderPoint: string | null;
}

/**
 * The stock of those SKUs that belong to products, in one statement. A reservation counts until it expires, whether its release has been
 * booked or not.
 */
export async function findStocks(
  { tenantQuery }: Pick<Database, 'tenantQuery'>,
  tenantId: string,
  skus: readonly string[],
): Promise<Stock[]> {
  const rows = await tenantQuery<Row>(tenantId, {
    name: 'find-stocks',
    text: `SELECT p.sku, b.location, trim_scale(b.on_hand)::text AS "onHand", trim_scale(b.reserved - free.expired)::text AS reserved,
        trim_scale(b.on_hand - b.reserved + free.expired)::text AS available, trim_scale(b.reorder_point)::text AS "reorderPoint"
      FROM products p LEFT JOIN stock_balances b ON b.tenant_id = p.tenant_id AND b.sku = p.sku
      LEFT JOIN LATERAL (
        SELECT coalesce(sum(r.remaining), 0) AS expired FROM stock_reservations r
        WHERE b.reserved > 0 AND r.tenant_id = b.tenant_id AND r.sku = b.sku AND r.location = b.location AND r.expires_at <= now()
      ) AS free ON true
      WHERE p.tenant_id = $1 AND p.sku = ANY($2::text[]) ORDER BY p.sku, b.location`,
    values: [tenantId, skus],
  });
  return [...Map.groupBy(rows, ({ sku }) => sku)].map(([sku, own]) => {
    const locations = own.flatMap(({ sku: _sku, location, ...figures }) =>
      location === null ? [] : [{ location, ...figures }],
    );
    return { sku, ...inSum(locations), locations };
  });
}

export const findStock = async (
  database: Pick<Database, 'tenantQuery'>,
  tenantId: string,
  sku: string,
): Promise<Stock | null> => (isStorable(sku) ? ((await findStocks(database, tenantId, [sku]))[0] ?? null) : null);

/** Every product has stock, even if it is zero. */
export const stockList: OrderedList<'SKU', { tenantId: string }> = {
  from: 'products',
  id: { sql: 'sku', type: 'text' },
  orders: { SKU: [] },
  where: ({ tenantId }, parameters) => [`tenant_id = ${parameters.add(tenantId)}`],
};

function inSum(locations: readonly StockFigures[]): StockFigures {
  const sum = (values: readonly string[]) => values.reduce((all, value) => all.plus(value), zero).toFixed();
  const points = locations.flatMap(({ reorderPoint }) => reorderPoint ?? []);
  return {
    onHand: sum(locations.map(({ onHand }) => onHand)),
    reserved: sum(locations.map(({ reserved }) => reserved)),
    available: sum(locations.map(({ available }) => available)),
    reorderPoint: points.length > 0 ? sum(points) : null,
  };
}
