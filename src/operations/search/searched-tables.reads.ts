import type { SearchKind } from './search.inputs.ts';

/** What a search looks for in a table, and how a row is shown. Every prefix has an index on lower(column) with text_pattern_ops. */
export interface Searched {
  /** A view without a security barrier (docs/decisions/search-reads-views.md), or a table that is found by numbers alone. */
  from: string;
  title: string;
  subtitle: string;
  prefixes: readonly { column: string; rank: 'number' | 'name' }[];
  /** Keys that are found as a whole, each by a condition on the parameters that hold the text and the tenant. */
  exact: readonly { condition: (text: string, tenant: string) => string; accepts?: (text: string) => boolean }[];
  /** A bigint that is found by its first digits. */
  number?: string;
  /** The expression of the trigram index. */
  contained?: string;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const joined = (...parts: string[]): string => `concat_ws(' · ', ${parts.join(', ')})`;
const workflowName = `(SELECT w.name FROM searched_workflows w WHERE w.tenant_id = found.tenant_id AND w.id = found.workflow_id)`;

export const searched: Record<SearchKind, Searched> = {
  workflow: {
    from: 'searched_workflows AS found',
    title: 'name',
    subtitle: `CASE WHEN active THEN 'active' ELSE 'inactive' END`,
    prefixes: [{ column: 'name', rank: 'name' }],
    exact: [],
    contained: 'lower(name)',
  },
  trigger: {
    from: 'searched_triggers AS found',
    title: 'name',
    subtitle: joined(workflowName, 'type'),
    prefixes: [{ column: 'name', rank: 'name' }],
    exact: [{ condition: (text) => `handle = ${text}::uuid`, accepts: (text) => uuid.test(text) }],
    contained: 'lower(name)',
  },
  run: {
    from: 'runs AS found',
    title: 'id::text',
    subtitle: joined(workflowName, 'status'),
    prefixes: [],
    exact: [{ condition: (text) => `request_id = ${text}::text` }],
    number: 'id',
  },
  order: {
    from: 'searched_orders AS found',
    title: 'number::text',
    subtitle: joined('erp_number', 'customer_order_number', 'status'),
    prefixes: [
      { column: 'erp_number', rank: 'number' },
      { column: 'customer_order_number', rank: 'number' },
    ],
    exact: [
      { condition: (text) => `external_key = ${text}::text` },
      {
        condition: (text, tenant) =>
          `id IN (SELECT order_id FROM order_changes WHERE tenant_id = ${tenant} AND request_id = ${text}::text)`,
      },
    ],
    number: 'number',
  },
  product: {
    from: 'searched_products AS found',
    title: 'name',
    subtitle: 'sku',
    prefixes: [
      { column: 'sku', rank: 'number' },
      { column: 'name', rank: 'name' },
    ],
    exact: [],
    contained: `sku || ' ' || name`,
  },
  customer: {
    from: 'searched_organizations AS found',
    title: 'name',
    subtitle: 'customer_number',
    prefixes: [
      { column: 'customer_number', rank: 'number' },
      { column: 'name', rank: 'name' },
    ],
    exact: [],
    contained: `customer_number || ' ' || name`,
  },
  api_key: {
    from: 'searched_api_keys AS found',
    title: 'name',
    subtitle: joined('prefix', `CASE WHEN revoked_at IS NOT NULL THEN 'revoked' END`),
    prefixes: [{ column: 'name', rank: 'name' }],
    exact: [{ condition: (text) => `prefix = ${text}::text` }],
    contained: 'lower(name)',
  },
};

/** The indexes of a migration that is skipped where the server has no pg_trgm. */
export const trigramIndexes = ['workflows', 'triggers', 'products', 'organizations', 'api_keys'].map(
  (table) => `${table}_searched_trigrams_idx`,
);
