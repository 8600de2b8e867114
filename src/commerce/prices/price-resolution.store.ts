import { LRUCache } from 'lru-cache';
import type { Database } from '#src/infra/postgres/database.ts';
import type { PriceStrategy } from './price-resolution.inputs.ts';

/** A request to the price lists. */
export interface PriceQuestion {
  items: readonly { sku: string; quantity: string }[];
  currency: string;
  customer: string | null;
  channel: string | null;
  market: string | null;
  at: Date;
  /** Null: the tenant's default. */
  strategy: PriceStrategy | null;
}

/** The findings of the price lists. Ranks count from 1, the list with the highest priority. */
export interface PriceFindings {
  /** The code of every list in order of rank: the same object until the lists change. */
  codes: readonly string[];
  /** The `Fit` of each list, one letter each. */
  fits: string;
  /** In the order of the items; null if no applicable list has a price of the SKU. */
  items: (ItemFindings | null)[];
}

/** The state of a list: applies with net prices (`n`) or gross ones (`g`), is not valid at the time (`e`), or is for other buyers (`o`). */
export type Fit = 'n' | 'g' | 'e' | 'o';

/** Ranks of the applicable lists that have prices of the SKU, null for none, and the tier that was chosen from them. */
export type ItemFindings = [
  /** Lists with a tier for the quantity. */
  reached: number[] | null,
  /** Lists with larger tiers only. */
  below: number[] | null,
  /** Lists without a tier that is valid at the time. */
  expired: number[] | null,
  chosen: Chosen | null,
];

/** The rank that wins, its tier and the one after it. */
export type Chosen = [rank: string, from: string, amount: string, nextFrom: string | null, nextAmount: string | null];

/**
 * Reads lists and tiers of all items in one statement, and chooses the prices there, so that 200 SKUs in 200 lists return 200 rows instead
 * of 40,000. The index is searched by SKU and list, so that the prices of other customers are not read. A tier is an array that begins with
 * its sort key: its quantity, and then its start, so that of two prices for the same quantity the later one counts. The lists are sent as
 * codes and letters: an array for each took a tenth of the statement's time. The cheapest price is compared without tax; the tax rate of
 * the product is read only for that.
 */
const findSql = `
  WITH lists AS MATERIALIZED (
    SELECT id, code, tax_included, is_for_buyer, is_valid,
      row_number() OVER (
        ORDER BY priority DESC, customer IS NULL, channel IS NULL, market IS NULL, code COLLATE "C"
      )::int AS rank
    FROM price_lists, LATERAL (SELECT
      currency = $2 AND coalesce(customer = $3, customer IS NULL) AND coalesce(channel = $4, channel IS NULL)
        AND coalesce(market = $5, market IS NULL) AS is_for_buyer,
      coalesce(valid_from <= $6, true) AND coalesce(valid_until > $6, true) AS is_valid) AS applies
    WHERE tenant_id = $1
  ), applying AS MATERIALIZED (
    SELECT id, rank, tax_included FROM lists WHERE is_for_buyer AND is_valid
  ), strategy AS (
    SELECT coalesce($7, (SELECT upper(price_strategy::text) FROM commerce_settings WHERE tenant_id = $1)) = 'CHEAPEST'
      AS is_cheapest
  ), items AS (
    SELECT sku, quantity, place, CASE WHEN (SELECT is_cheapest FROM strategy)
      THEN 1 + (SELECT tax_rate FROM products WHERE tenant_id = $1 AND products.sku = item.sku) / 100 END AS gross_of_one
    FROM unnest($8::text[], $9::numeric[]) WITH ORDINALITY AS item(sku, quantity, place)
  ), tiers AS (
    SELECT place, rank, divisor,
      max(ARRAY[quantity_from, began, amount]) FILTER (WHERE holds AND quantity_from <= quantity) AS tier,
      min(ARRAY[quantity_from, -began, amount]) FILTER (WHERE holds AND quantity_from > quantity) AS next
    FROM items
      JOIN prices ON prices.tenant_id = $1 AND prices.sku = items.sku AND prices.list_id = ANY (ARRAY(SELECT id FROM applying))
      JOIN applying ON applying.id = prices.list_id,
      LATERAL (SELECT
        coalesce(extract(epoch FROM valid_from), '-infinity') AS began,
        coalesce(valid_from <= $6, true) AND coalesce(valid_until > $6, true) AS holds,
        CASE WHEN tax_included THEN coalesce(gross_of_one, 1) ELSE 1 END AS divisor) AS of_price
    GROUP BY place, rank, divisor
  ), found AS (
    SELECT place,
      array_agg(rank) FILTER (WHERE tier IS NOT NULL) AS reached,
      array_agg(rank) FILTER (WHERE tier IS NULL AND next IS NOT NULL) AS below,
      array_agg(rank) FILTER (WHERE tier IS NULL AND next IS NULL) AS expired,
      min(ARRAY[CASE WHEN is_cheapest THEN tier[3] / divisor END, rank, tier[1], tier[3], next[1], next[3]]) FILTER (WHERE tier IS NOT NULL)
        AS chosen
    FROM tiers, strategy GROUP BY place
  )
  SELECT codes, fits, (
      SELECT json_agg(CASE WHEN found.place IS NOT NULL THEN json_build_array(reached, below, expired, (chosen::text[])[2:]) END
        ORDER BY place)
      FROM items LEFT JOIN found USING (place)
    ) AS items
  FROM (
    SELECT array_to_json(array_agg(code))::text AS codes,
      string_agg(CASE WHEN NOT is_for_buyer THEN 'o' WHEN NOT is_valid THEN 'e' WHEN tax_included THEN 'g' ELSE 'n' END, '')
        AS fits
    FROM (SELECT * FROM lists ORDER BY rank) AS ranked
  ) AS listed`;

const noLists: readonly string[] = [];
/** The codes of lists by their text, limited by characters. The trace entries of a list take up to a hundred times as many bytes. */
const knownCodes = new LRUCache<string, readonly string[]>({
  maxSize: 256 * 1024,
  sizeCalculation: (_, text) => text.length,
});

function parseCodes(text: string | null | undefined): readonly string[] {
  if (text == null) return noLists;
  const codes = knownCodes.get(text) ?? (JSON.parse(text) as string[]);
  knownCodes.set(text, codes);
  return codes;
}

export async function findPriceTiers(
  database: Pick<Database, 'tenantQuery'>,
  tenantId: string,
  { items, currency, customer, channel, market, at, strategy }: PriceQuestion,
): Promise<PriceFindings> {
  type Row = { [Name in 'fits' | 'items']: PriceFindings[Name] | null } & { codes: string | null };
  const [row] = await database.tenantQuery<Row>(tenantId, {
    name: 'resolve-prices',
    // Planning took half of the time of resolving one article.
    plannedOnce: true,
    text: findSql,
    values: [
      tenantId,
      currency,
      customer,
      channel,
      market,
      at,
      strategy,
      items.map(({ sku }) => sku),
      items.map(({ quantity }) => quantity),
    ],
  });
  return { codes: parseCodes(row?.codes), fits: row?.fits ?? '', items: row?.items ?? [] };
}
