import { inBatches, minuteMs } from '#src/infra/background/periodic-tasks.ts';
import { auditedOutboxFailure } from '#src/journal/outbox/outbox.declarations.ts';
import type { DomainManifest } from './domain-manifest.ts';

/** The audit log and the outbox. */
export const journal: DomainManifest = {
  name: 'journal',
  declarations: { audited: [auditedOutboxFailure] },
  graphql: () =>
    Promise.all([
      import('#src/journal/audit/audit.graphql.ts'),
      import('#src/journal/outbox/outbox.graphql.ts'),
      import('#src/journal/outbox/topics.graphql.ts'),
    ]),
  routes: async () => ({
    service: [...(await import('#rest/journal/audit-logs.routes.ts')).auditLogRoutes],
  }),
  periodicTasks: [
    {
      name: 'sweep-outbox',
      everyMs: 10 * minuteMs,
      work: inBatches(async ({ database }) =>
        (await import('#src/journal/outbox/outbox-upkeep.store.ts')).sweepOutbox(database),
      ),
      fault: 'Old events could not be deleted from the outbox.',
    },
  ],
};
