import { isLatest } from '#src/automation/packages/latest-versions.reads.ts';
import type { OrderedList } from '#src/infra/postgres/lists/ordered-list.ts';
import { contains } from '#src/infra/postgres/lists/sql-parameters.ts';

export interface TemplateFilter {
  /** Part of the slug, the name or the description. */
  search?: string | null;
  /** Name of the package. */
  package?: string | null;
}

/** The latest version of each template. */
export const templateList: OrderedList<'SLUG' | 'NAME' | 'CREATED_AT', TemplateFilter> = {
  from: 'workflow_templates t',
  id: { sql: 't.id', type: 'bigint' },
  orders: {
    SLUG: [{ sql: 't.slug', type: 'text' }],
    NAME: [{ sql: 't.name', type: 'text' }],
    CREATED_AT: [],
  },
  where({ search, package: packageName }, parameters) {
    const where = [isLatest('workflow_templates', 't')];
    if (search) where.push(contains(['t.slug', 't.name', 't.description'], search, parameters));
    if (packageName != null)
      where.push(`t.package_id IN (SELECT id FROM node_packages WHERE name = ${parameters.add(packageName)})`);
    return where;
  },
};
