import { handle } from '#src/infra/background/job-handler.ts';
import { hourMs, inBatches, minuteMs } from '#src/infra/background/periodic-tasks.ts';
import { auditedBulkAction, runBulkActionJob } from '#src/operations/bulk-actions/bulk-actions.declarations.ts';
import { auditedDatabase } from '#src/operations/database/database.declarations.ts';
import { auditedErrorGroup } from '#src/operations/error-groups/error-groups.declarations.ts';
import { auditedFailedJob } from '#src/operations/failed-jobs/failed-jobs.declarations.ts';
import { auditedSavedView } from '#src/operations/saved-views/saved-views.declarations.ts';
import type { DomainManifest } from './domain-manifest.ts';

/** Operations on what the other domains left behind, and operations of operators for all tenants. */
export const operations: DomainManifest = {
  name: 'operations',
  declarations: {
    audited: [auditedBulkAction, auditedDatabase, auditedErrorGroup, auditedFailedJob, auditedSavedView],
    jobs: [runBulkActionJob],
  },
  handlers: [
    handle(runBulkActionJob, async (services, action) =>
      (await import('#src/operations/bulk-actions/run-bulk-action.service.ts')).runBulkAction(services, action),
    ),
  ],
  graphql: () =>
    Promise.all([
      import('#src/operations/attention/attention.graphql.ts'),
      import('#src/operations/bulk-actions/bulk-actions.graphql.ts'),
      import('#src/operations/bulk-actions/start-bulk-actions.graphql.ts'),
      import('#src/operations/error-groups/error-groups.graphql.ts'),
      import('#src/operations/error-groups/error-group-actions.graphql.ts'),
      import('#src/operations/failed-jobs/failed-jobs.graphql.ts'),
      import('#src/operations/health/health.graphql.ts'),
      import('#src/operations/bulk-actions/retry-failed-jobs.graphql.ts'),
      import('#src/operations/saved-views/saved-views.graphql.ts'),
      import('#src/operations/requests/requests.graphql.ts'),
      import('#src/operations/search/search.graphql.ts'),
    ]),
  periodicTasks: [
    {
      name: 'take-up-bulk-actions',
      everyMs: 1_000,
      work: async (deps) =>
        (await import('#src/operations/bulk-actions/run-bulk-action.service.ts')).takeUpBulkActions(deps),
      fault: 'Bulk actions without a worker could not be looked for.',
    },
    {
      name: 'sweep-bulk-actions',
      everyMs: hourMs,
      firstMs: minuteMs,
      work: inBatches(async ({ database }) =>
        (await import('#src/operations/bulk-actions/bulk-actions.store.ts')).sweepBulkActions(database.system),
      ),
      fault: 'Old bulk actions could not be deleted.',
    },
    {
      name: 'sweep-error-groups',
      everyMs: hourMs,
      firstMs: minuteMs,
      work: inBatches(async ({ database }) =>
        (await import('#src/operations/error-groups/error-groups.store.ts')).sweepErrorGroups(database.system),
      ),
      fault: 'Old error groups could not be deleted.',
    },
  ],
};
