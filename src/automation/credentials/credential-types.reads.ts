import { isLatest } from '#src/automation/packages/latest-versions.reads.ts';
import type { OrderedList } from '#src/infra/postgres/lists/ordered-list.ts';
import { contains } from '#src/infra/postgres/lists/sql-parameters.ts';

/** The latest version of each credential type. */
export const credentialTypeList: OrderedList<'SLUG' | 'NAME', { search?: string | null }> = {
  from: 'credential_types c',
  id: { sql: 'c.id', type: 'bigint' },
  orders: {
    SLUG: [{ sql: 'c.slug', type: 'text' }],
    NAME: [{ sql: 'c.name', type: 'text' }],
  },
  where({ search }, parameters) {
    const where = [isLatest('credential_types', 'c')];
    if (search) where.push(contains(['c.slug', 'c.name', 'c.description'], search, parameters));
    return where;
  },
};
