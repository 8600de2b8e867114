/** The tables whose rows packages add in versions. */
type Table = 'nodes' | 'workflow_templates' | 'credential_types';

/** The condition that a row is the latest version of its slug: by precedence, then by text. */
export const isLatest = (table: Table, alias: string): string =>
  `NOT EXISTS (SELECT FROM ${table} later WHERE later.slug = ${alias}.slug
    AND (later.version_order, later.version) > (${alias}.version_order, ${alias}.version))`;
