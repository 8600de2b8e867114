import type { NodeManifest } from '#src/automation/node-api/manifest.ts';
import { isLatest } from '#src/automation/packages/latest-versions.reads.ts';
import type { OrderedList, SortKey } from '#src/infra/postgres/lists/ordered-list.ts';
import { contains } from '#src/infra/postgres/lists/sql-parameters.ts';

export interface NodeFilter {
  /** Part of the slug, the name or the description. */
  search?: string | null;
  slug?: string | null;
  namespace?: string | null;
  /** Name of the package. */
  package?: string | null;
  kind?: readonly NodeManifest['kind'][] | null;
  /** Only the highest version of each slug, before the other filters. */
  latest?: boolean | null;
}

const newestVersionFirst: SortKey[] = [
  { sql: 'n.slug', type: 'text' },
  { sql: 'n.version_order', type: 'text', reversed: true },
  { sql: 'n.version', type: 'text', reversed: true },
];

/** Every version of every node. */
export const nodeList: OrderedList<'SLUG' | 'NAME' | 'CREATED_AT', NodeFilter> = {
  from: 'nodes n',
  id: { sql: 'n.id', type: 'bigint' },
  orders: {
    SLUG: newestVersionFirst,
    NAME: [{ sql: 'n.name', type: 'text' }, ...newestVersionFirst],
    CREATED_AT: [],
  },
  where({ search, slug, namespace, package: packageName, kind, latest }, parameters) {
    const where: string[] = [];
    if (search) where.push(contains(['n.slug', 'n.name', `n.manifest->>'description'`], search, parameters));
    if (slug != null) where.push(`n.slug = ${parameters.add(slug)}`);
    if (namespace) where.push(`n.namespace = ${parameters.add(namespace)}`);
    if (packageName != null)
      where.push(`n.package_id IN (SELECT id FROM node_packages WHERE name = ${parameters.add(packageName)})`);
    if (kind?.length) where.push(`n.manifest->>'kind' = ANY(${parameters.add(kind)})`);
    if (latest) where.push(isLatest('nodes', 'n'));
    return where;
  },
};
