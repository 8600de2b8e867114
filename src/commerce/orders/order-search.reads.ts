import { rangesOfPrefix } from '#src/infra/postgres/lists/number-prefixes.ts';
import { containing, type SqlParameters } from '#src/infra/postgres/lists/sql-parameters.ts';

/** More rows with the same beginning of a number, or customers with the text, are ignored. */
const maxFound = 1_000;

/**
 * The condition on `orders` for a search: the first digits of the number, the beginning of the ERP's or the buyer's own number, the whole
 * external key, or part of the customer's number or name. Each part has an index of its own; the views are those of the search of
 * everything (docs/decisions/search-reads-views.md).
 */
export function orderSearchCondition(search: string, tenant: string, parameters: SqlParameters): string {
  const text = search.trim();
  const pattern = containing(text, parameters);
  const given = parameters.add(text);
  const low = `lower(${given}::text)`;
  const beginning = (column: string) => `id = ANY(ARRAY(SELECT id FROM searched_orders
    WHERE tenant_id = ${tenant} AND ${column} IS NOT NULL AND lower(${column}) ~>=~ ${low} AND lower(${column}) ~<~ (${low} || chr(1114111))
    ORDER BY lower(${column}) USING ~<~ LIMIT ${maxFound}))`;
  const parts = [
    ...rangesOfPrefix(text).map(([from, to]) => `number BETWEEN ${parameters.add(from)} AND ${parameters.add(to)}`),
    beginning('erp_number'),
    beginning('customer_order_number'),
    `external_key = ${given}`,
    `organization_id = ANY(ARRAY(SELECT id FROM searched_organizations
      WHERE tenant_id = ${tenant} AND (customer_number || ' ' || name) ILIKE ${pattern} LIMIT ${maxFound}))`,
  ];
  return `(${parts.join(' OR ')})`;
}
