import {
  auditedCredential,
  sealedCredentials,
  credentialExpired,
  credentialExpiring,
  credentialRevoked,
} from '#src/automation/credentials/credentials.declarations.ts';
import { auditedDeadLetter } from '#src/automation/dead-letters/dead-letters.declarations.ts';
import { auditedDraft } from '#src/automation/drafts/drafts.declarations.ts';
import { packageSchemas } from '#src/automation/packages/schemas/package-schemas.ts';
import { pollFailed, runPollJob } from '#src/automation/polls/polls.declarations.ts';
import { auditedRetention } from '#src/automation/retention/retention.declarations.ts';
import { auditedRun, executeRunJob, runFailed, runFinished } from '#src/automation/runs/runs.declarations.ts';
import { scheduleTickJob } from '#src/automation/schedules/schedules.declarations.ts';
import { auditedSecret, sealedSecret } from '#src/automation/secrets/secrets.declarations.ts';
import { auditedStateEntry } from '#src/automation/state/state.declarations.ts';
import {
  auditedTrigger,
  auditedWorkflow,
  buildWorkflowJob,
  stopWorkflowRunsJob,
} from '#src/automation/workflows/workflows.declarations.ts';
import { handle } from '#src/infra/background/job-handler.ts';
import { hourMs, inBatches, minuteMs } from '#src/infra/background/periodic-tasks.ts';
import type { DomainManifest } from './domain-manifest.ts';

/** Workflows, triggers, runs, credentials, nodes and their packages. */
export const automation: DomainManifest = {
  name: 'automation',
  declarations: {
    jobs: [buildWorkflowJob, stopWorkflowRunsJob, executeRunJob, scheduleTickJob, runPollJob],
    topics: [runFinished, runFailed, pollFailed, credentialExpiring, credentialExpired, credentialRevoked],
    audited: [
      auditedWorkflow,
      auditedDraft,
      auditedTrigger,
      auditedRun,
      auditedDeadLetter,
      auditedCredential,
      auditedSecret,
      auditedStateEntry,
      auditedRetention,
    ],
    schemas: packageSchemas,
    sealedColumns: [...sealedCredentials, sealedSecret],
  },
  services: async () => (await import('#src/automation/automation.ts')).automationServices,
  handlers: [
    handle(buildWorkflowJob, async ({ automation: own }, workflow) =>
      (await import('#src/automation/workflows/bundles.service.ts')).buildWorkflow(own, workflow),
    ),
    handle(stopWorkflowRunsJob, async ({ automation: own }, workflow) =>
      (await import('#workers/engine/stop-runs.ts')).stopWorkflowRuns(own, workflow),
    ),
    handle(runPollJob, async ({ automation: own }, poll) =>
      (await import('#src/automation/polls/run-poll.service.ts')).runPoll(own, poll),
    ),
  ],
  claimedJobs: [executeRunJob, scheduleTickJob],
  graphql: () =>
    Promise.all([
      import('#src/automation/connectors/api-packages/api-comparison.graphql.ts'),
      import('#src/automation/connectors/api-packages/api-packages.graphql.ts'),
      import('#src/automation/credentials/credential-tests.graphql.ts'),
      import('#src/automation/credentials/credential-types.graphql.ts'),
      import('#src/automation/credentials/credentials.graphql.ts'),
      import('#src/automation/credentials/rates/credential-rates.graphql.ts'),
      import('#src/automation/credentials/oauth/oauth.graphql.ts'),
      import('#src/automation/dead-letters/dead-letter-live.graphql.ts'),
      import('#src/automation/dead-letters/dead-letters.graphql.ts'),
      import('#src/automation/drafts/drafts.graphql.ts'),
      import('#src/automation/files/run-files.graphql.ts'),
      import('#src/automation/firings/firings.graphql.ts'),
      import('#src/automation/firings/statistics/trigger-statistics.graphql.ts'),
      import('#src/automation/node-upgrades/node-upgrades.graphql.ts'),
      import('#src/automation/node-upgrades/upgrade-nodes.graphql.ts'),
      import('#src/automation/nodes/node-calls.graphql.ts'),
      import('#src/automation/nodes/node-manifest.graphql.ts'),
      import('#src/automation/nodes/output-schemas.graphql.ts'),
      import('#src/automation/nodes/nodes.graphql.ts'),
      import('#src/automation/packages/messages.graphql.ts'),
      import('#src/automation/packages/node-packages.graphql.ts'),
      import('#src/automation/packages/schemas/schemas.graphql.ts'),
      import('#src/automation/retention/retention.graphql.ts'),
      import('#src/automation/expression-preview/expression-preview.graphql.ts'),
      import('#src/automation/expression-preview/expression-scope.graphql.ts'),
      import('#src/automation/runs/live/run-live.graphql.ts'),
      import('#src/automation/runs/logs/run-logs.graphql.ts'),
      import('#src/automation/runs/steps/step-calls.graphql.ts'),
      import('#src/automation/runs/steps/steps.graphql.ts'),
      import('#src/automation/runs/relations/run-relations.graphql.ts'),
      import('#src/automation/runs/run-actions.graphql.ts'),
      import('#src/automation/runs/run-details.graphql.ts'),
      import('#src/automation/runs/runs.graphql.ts'),
      import('#src/automation/runs/run-connections.graphql.ts'),
      import('#src/automation/runs/statistics/run-statistics.graphql.ts'),
      import('#src/automation/schedules/schedules.graphql.ts'),
      import('#src/automation/secrets/secrets.graphql.ts'),
      import('#src/automation/state/state.graphql.ts'),
      import('#src/automation/templates/templates.graphql.ts'),
      import('#src/automation/test-runs/start-run.graphql.ts'),
      import('#src/automation/test-runs/executed.graphql.ts'),
      import('#src/automation/trigger-samples/trigger-samples.graphql.ts'),
      import('#src/automation/triggers/poll-triggers.graphql.ts'),
      import('#src/automation/triggers/triggers.graphql.ts'),
      import('#src/automation/workflows/revisions.graphql.ts'),
      import('#src/automation/workflows/calls/workflow-calls.graphql.ts'),
      import('#src/automation/workflows/workflow-graph.graphql.ts'),
      import('#src/automation/workflows/workflow-validation.graphql.ts'),
      import('#src/automation/workflows/live/workflow-live.graphql.ts'),
      import('#src/automation/workflows/workflows.graphql.ts'),
    ]),
  routes: async () => ({
    service: [
      ...(await import('#rest/automation/workflows.routes.ts')).workflowRoutes,
      ...(await import('#rest/automation/revisions.routes.ts')).revisionRoutes,
      ...(await import('#rest/automation/triggers.routes.ts')).triggerRoutes,
      ...(await import('#rest/automation/schedules.routes.ts')).scheduleRoutes,
      ...(await import('#rest/automation/runs.routes.ts')).runRoutes,
      ...(await import('#rest/automation/dead-letters.routes.ts')).deadLetterRoutes,
      ...(await import('#rest/automation/retention.routes.ts')).retentionRoutes,
      ...(await import('#rest/automation/webhooks.routes.ts')).webhookRoutes,
      ...(await import('#rest/automation/credential-types.routes.ts')).credentialTypeRoutes,
      ...(await import('#rest/automation/credentials.routes.ts')).credentialRoutes,
      ...(await import('#rest/automation/credential-oauth.routes.ts')).credentialOauthRoutes,
      ...(await import('#rest/automation/nodes.routes.ts')).nodeRoutes,
      ...(await import('#rest/automation/node-packages.routes.ts')).nodePackageRoutes,
      ...(await import('#rest/automation/package-images.bytes.ts')).packageImageRoutes,
      ...(await import('#rest/automation/templates.routes.ts')).templateRoutes,
      ...(await import('#rest/automation/secrets.routes.ts')).secretRoutes,
      ...(await import('#rest/automation/state.routes.ts')).stateRoutes,
      ...(await import('#rest/automation/schemas.routes.ts')).schemaRoutes,
    ],
    platform: [
      ...(await import('#rest/automation/step-outputs.bytes.ts')).stepOutputRoutes,
      ...(await import('#rest/automation/run-files.bytes.ts')).runFileRoutes,
    ],
  }),
  periodicTasks: [
    {
      // An authorisation that is not completed expires after ten minutes, so an hourly sweep is enough.
      name: 'sweep-oauth-states',
      everyMs: hourMs,
      work: inBatches(async (deps) =>
        (await import('#src/automation/credentials/oauth/oauth-states.store.ts')).sweepStates(deps),
      ),
      fault: 'Expired OAuth states could not be deleted.',
    },
    {
      name: 'notice-credential-expiries',
      everyMs: hourMs,
      work: inBatches(async (deps) =>
        (await import('#src/automation/credentials/expiry-notices.service.ts')).noticeExpiries(deps),
      ),
      fault: 'Events for credentials that expire soon could not be published.',
    },
    {
      // An expired entry counts towards the limits of its namespace until it is deleted.
      name: 'purge-state',
      everyMs: minuteMs,
      work: async (deps) => (await import('#src/automation/state/state-purge.service.ts')).purgeExpiredState(deps),
      fault: 'Expired state could not be deleted.',
    },
    {
      name: 'sweep-event-chains',
      everyMs: hourMs,
      work: inBatches(async ({ database }) =>
        (await import('#src/automation/firings/event-firing.store.ts')).sweepChains(database.system),
      ),
      fault: 'Old counts of event chains could not be deleted.',
    },
    {
      name: 'start-due-polls',
      everyMs: 1_000,
      work: async (deps) => (await import('#src/automation/polls/due-polls.service.ts')).startDuePolls(deps),
      fault: 'Due poll triggers could not be read.',
    },
    {
      name: 'reconcile-schedules',
      everyMs: 10_000,
      work: inBatches(async (deps) => {
        const made = await (
          await import('#src/automation/schedules/schedule-upkeep.service.ts')
        ).reconcileSchedules(deps);
        if (made.resent > 0) deps.log.warn(made, 'Due schedules had no job; each was given a new one.');
        return made.more;
      }),
      fault: 'Schedules could not be reconciled with their jobs.',
    },
    {
      name: 'sweep-ticks',
      everyMs: hourMs,
      work: inBatches(async (deps) =>
        (await import('#src/automation/schedules/schedule-upkeep.store.ts')).sweepTicks(deps),
      ),
      fault: 'Old schedule ticks could not be deleted.',
    },
    {
      // Frequent, so that what readers of rollups add up themselves stays short: ten seconds of ended runs.
      name: 'fold-run-rollups',
      everyMs: 10_000,
      work: inBatches(async (deps) =>
        (await import('#src/automation/runs/rollups/run-rollups.store.ts')).foldRollupChanges(deps),
      ),
      fault: 'Changes of run statistics could not be added up.',
    },
    {
      name: 'purge-run-rollups',
      everyMs: hourMs,
      work: inBatches(async (deps) =>
        (await import('#src/automation/runs/rollups/run-rollups.store.ts')).purgeRollups(deps),
      ),
      fault: 'Old run statistics could not be deleted.',
    },
    {
      name: 'sweep-retention',
      everyMs: hourMs,
      firstMs: minuteMs,
      work: async (deps, signal) =>
        (await import('#src/automation/retention/retention-round.service.ts')).sweepUntilDone(deps, signal),
      fault: 'Retention could not finish its sweep.',
    },
  ],
};
