import { auditedDatabase } from '#src/operations/database/database.declarations.ts';
import { auditedFailedJob } from '#src/operations/failed-jobs/failed-jobs.declarations.ts';
import type { DomainManifest } from './domain-manifest.ts';

/** Operations of operators for all tenants. */
export const operations: DomainManifest = {
  name: 'operations',
  declarations: { audited: [auditedDatabase, auditedFailedJob] },
  graphql: () => import('#src/operations/failed-jobs/failed-jobs.graphql.ts'),
};
