import { handle } from '#src/infra/background/job-handler.ts';
import { hourMs, inBatches, minuteMs } from '#src/infra/background/periodic-tasks.ts';
import {
  auditedAlertRecipient,
  sealedAlertRecipient,
  sendAlertJob,
} from '#src/operations/alerts/alerts.declarations.ts';
import { passMs } from '#src/operations/alerts/alerts.rules.ts';
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
    audited: [
      auditedAlertRecipient,
      auditedBulkAction,
      auditedDatabase,
      auditedErrorGroup,
      auditedFailedJob,
      auditedSavedView,
    ],
    jobs: [runBulkActionJob, sendAlertJob],
    sealedColumns: [sealedAlertRecipient],
  },
  services: async () => (await import('#src/operations/operations.ts')).operationsServices,
  handlers: [
    handle(runBulkActionJob, async (services, action) =>
      (await import('#src/operations/bulk-actions/run-bulk-action.service.ts')).runBulkAction(services, action),
    ),
    handle(sendAlertJob, async (services, message) =>
      (await import('#src/operations/alerts/alert-messages.service.ts')).sendMessage(services, message),
    ),
  ],
  graphql: () =>
    Promise.all([
      import('#src/operations/alerts/alert-recipients.graphql.ts'),
      import('#src/operations/alerts/alert-recipient-actions.graphql.ts'),
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
      name: 'note-dead-letters',
      everyMs: passMs,
      work: inBatches(async (deps) =>
        (await import('#src/operations/alerts/note-alerts.service.ts')).noteDeadLetters(deps),
      ),
      fault: 'New dead letters could not be added to the alerts.',
    },
    {
      name: 'note-alerted-states',
      everyMs: minuteMs,
      work: async (deps) => (await import('#src/operations/alerts/note-alerts.service.ts')).noteStates(deps),
      fault: 'Disabled destinations and expiring credentials could not be added to the alerts.',
    },
    {
      name: 'make-due-alerts',
      everyMs: passMs,
      work: inBatches(async (deps) =>
        (await import('#src/operations/alerts/alert-messages.service.ts')).makeDueMessages(deps),
      ),
      fault: 'Messages of alerts that are due could not be made.',
    },
    {
      name: 'sweep-alerts',
      everyMs: hourMs,
      firstMs: minuteMs,
      work: async (deps, signal) => {
        const store = await import('#src/operations/alerts/alert-upkeep.store.ts');
        await store.giveUpLostMessages(deps.database.system);
        for (const sweep of [store.sweepMessages, store.sweepAlerts])
          await inBatches(({ database }) => sweep(database.system))(deps, signal);
      },
      fault: 'Old alerts could not be deleted.',
    },
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
