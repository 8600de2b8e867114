import { glob, readFile } from 'node:fs/promises';
import ts from 'typescript';
import { expect, test } from 'vitest';

/** The functions that may act as causeway_system, bypassing the tenants' row-level security: reason -> `file function`. */
const allowed: Record<string, string[]> = {
  'the process itself': [
    'src/process/open-deps.ts openDeps',
    'src/automation/packages/builtin-packages.reads.ts areRegistered',
  ],
  'the relay reads the events of all tenants': [
    'src/journal/outbox/outbox-order.store.ts numberEvents',
    'src/journal/outbox/outbox-reading.service.ts passBatch',
    'src/journal/outbox/outbox-reading.service.ts recordFailure',
    'src/journal/outbox/outbox-reading.store.ts slowDown',
    'src/journal/outbox/outbox-upkeep.store.ts openCursor',
  ],
  'a sweep': [
    'src/journal/outbox/outbox-upkeep.store.ts sweepOutbox',
    'src/infra/background/infra-tasks.ts infraTasks',
    'src/infra/http/rate-limits.ts sweepRates',
    'src/infra/postgres/named-locks.ts inOneProcess',
    'src/domains/automation.ts automation',
    'src/domains/operations.ts operations',
    'src/operations/bulk-actions/run-bulk-action.service.ts takeUpBulkActions',
    'src/operations/alerts/alert-messages.service.ts makeDueMessages',
    'src/operations/alerts/note-alerts.service.ts noteDeadLetters',
    'src/operations/alerts/note-alerts.service.ts noteStates',
    'src/automation/state/state-purge.service.ts purgeExpiredState',
    'src/automation/schedules/schedule-upkeep.store.ts sweepTicks',
    'src/automation/retention/file-purge.service.ts purgeFiles',
    'src/automation/retention/history-purge.store.ts purgeDeadLetters',
    'src/automation/retention/history-purge.store.ts purgeAudit',
    'src/automation/retention/history-purge.store.ts purgeBundles',
    'src/automation/retention/history-purge.store.ts purgeWorkflows',
    'src/automation/retention/history-purge.store.ts purgeRunKeys',
    'src/automation/retention/history-purge.store.ts dropPartitions',
    'src/automation/retention/retention-sweep.service.ts readTenants',
    'src/automation/retention/run-purge.store.ts purgeRuns',
    'src/automation/retention/run-purge.store.ts purgeTestRuns',
    'src/automation/retention/run-purge.store.ts purgeDetails',
    'src/automation/runs/rollups/run-rollups.store.ts foldRollupChanges',
    'src/automation/runs/rollups/run-rollups.store.ts purgeRollups',
    'src/automation/credentials/expiry-notices.service.ts noticeExpiries',
    'src/automation/credentials/oauth/oauth-states.store.ts sweepStates',
    'src/imports/bulk-jobs/wake-jobs.service.ts takeUpJobs',
    'src/imports/staging/staging-sweep.service.ts sweepStaging',
    'src/imports/event-sets/event-sets.service.ts releaseEventSet',
    'src/imports/event-sets/event-sets.service.ts hasEventSubscribers',
    'src/imports/uploads/uploads.service.ts sweepUploads',
    'src/infra/storage/object-references.ts deleteUnused',
    'src/imports/exports/export-results.service.ts sweepExports',
    'src/imports/transfers/due-transfers.service.ts startDueTransfers',
    'src/imports/transfers/due-transfers.service.ts sweepTransferFiles',
    'src/commerce/stock/stock-expiry.service.ts releaseExpiredReservations',
    'src/commerce/stock/stock-verification.service.ts verifyNightly',
    'src/commerce/inbound/inbound-sweep.service.ts sweepInbound',
    'workers/commerce/webhooks/failing-destinations.ts lookAfterDestinations',
    'workers/commerce/webhooks/webhook-retention-statements.ts listPartitions',
    'workers/commerce/webhooks/webhook-retention-statements.ts dropPassed',
    'workers/commerce/webhooks/webhook-retention-statements.ts purgeDeliveries',
    'workers/commerce/webhooks/webhook-retention-statements.ts purgePayloads',
  ],
  'an operator, who is of no tenant': [
    'src/journal/outbox/outbox.reads.ts listFailures',
    'src/journal/outbox/outbox.reads.ts findFailure',
    'src/journal/outbox/outbox.reads.ts countFailures',
    'src/journal/outbox/outbox.reads.ts consumersHealth',
    'src/journal/outbox/outbox.service.ts retryOutboxFailure',
    'src/journal/outbox/outbox.service.ts discardOutboxFailure',
    'src/journal/audit/audit.reads.ts listAllAudit',
    'src/journal/audit/audit.reads.ts countAllAudit',
    'src/journal/audit/audit-actors.reads.ts findActorNames',
    'src/operations/failed-jobs/failed-jobs.reads.ts listFailedJobs',
    'src/operations/failed-jobs/failed-jobs.reads.ts findFailedJobs',
    'src/operations/failed-jobs/failed-jobs.reads.ts groupFailedJobs',
    'src/operations/failed-jobs/failed-jobs.reads.ts countFailedJobs',
    'src/operations/failed-jobs/failed-jobs.reads.ts failedJobsByName',
    'src/automation/runs/backlog.reads.ts readBacklog',
    'src/commerce/webhooks/delivery-backlog.reads.ts readDeliveryBacklog',
    'src/infra/postgres/sequence-use.ts readSequenceUse',
    'src/infra/postgres/partitions-ahead.ts countPartitionsAhead',
    'src/process/metrics/installation-gauges.ts readTimeline',
    'src/process/metrics/process-gauges.ts addAwayGauge',
    'src/operations/health/health.reads.ts countWorkers',
    'src/automation/runs/backlog.reads.ts countFailedRuns',
    'src/operations/failed-jobs/failed-jobs.service.ts settle',
    'src/operations/bulk-actions/bulk-action-owners.store.ts withOwner',
    'src/operations/bulk-actions/bulk-action-owners.store.ts queryOwner',
    'src/process/metrics/installation-gauges.ts addStockGauge',
    'src/themes/themes/themes.service.ts registerTheme',
    'src/themes/extensions/publication.service.ts publishExtension',
    'src/themes/extensions/publication.service.ts rejectExtension',
    'src/themes/extensions/publication.service.ts withdrawExtension',
    'bin/commands/keys.ts tenantsWithKeys',
    'bin/commands/keys.ts status',
    'src/infra/vault/vault.ts KeyRingVault',
  ],
  'workers, the outbox and the numbers of entries are those of all tenants; no row of another tenant is returned': [
    'src/journal/audit/audit-bounds.reads.ts findIdBounds',
    'src/operations/health/health.reads.ts readHealth',
  ],
  'which server answers is asked of each connection, before any tenant is known': [
    'src/infra/postgres/connections/server-session.ts toSession',
  ],
  'the first start makes the demo’s tenant where there is none': ['src/demo/first-start.ts wantsDemo'],
  'the queue': ['src/infra/jobs.ts startBoss'],
  'workers, for the steps that they execute': [
    'src/automation/credentials/rates/turns.store.ts takeTurns',
    'src/automation/credentials/rates/turns.store.ts closeCredential',
    'src/automation/credentials/rates/turns.store.ts isAnyQueued',
    'src/automation/credentials/rates/turns.store.ts sweepTurns',
    'workers/engine/grant-turns.ts createTurnGranter',
  ],
  'counts of users and tenants, in one statement for many': ['src/infra/http/rate-limits.ts createCounter'],
  'who asks, and in which tenant, is not known before the key is read': [
    'src/identity/api-keys/key-identity.service.ts createKeyIdentity',
    'src/identity/api-keys/key-identity.service.ts noteUse',
    'src/commerce/inbound/endpoint-lookup.service.ts createEndpointLookup',
    'src/themes/assets/assets.store.ts findServedAsset',
  ],
  'the scheduler claims ticks of all tenants, and fires each in the scope of its tenant': [
    'src/automation/schedules/schedule-claims.service.ts claimTicks',
    'src/automation/schedules/schedule-upkeep.service.ts reconcileSchedules',
    'src/automation/schedules/schedules.service.ts fireDue',
    'src/automation/schedules/schedules.store.ts findDue',
  ],
  'polls of all tenants are planned at once; the records of a page are fired in the scope of their tenant': [
    'src/automation/polls/commit-page.service.ts commitPage',
    'src/automation/polls/due-polls.service.ts startDuePolls',
    'src/automation/polls/run-poll.service.ts readList',
    'src/automation/polls/run-poll.service.ts forget',
  ],
  'reads for the live streams of all tenants at once; each hears its own': [
    'src/automation/runs/live/run-feed.service.ts ProcessRunFeed',
    'src/automation/runs/live/watch-run-log.service.ts createLogReader',
    'src/identity/access-watch.service.ts findLost',
  ],
  'senders claim queues of all tenants and write what came of their deliveries in one commit': [
    'workers/commerce/webhooks/sending.ts claim',
    'workers/commerce/webhooks/sending.ts renew',
    'workers/commerce/webhooks/sending.ts release',
    'workers/commerce/webhooks/sending.ts readBatch',
    'workers/commerce/webhooks/sending.ts record',
  ],
  'the engine claims runs of all tenants and writes their step log': [
    'workers/engine/claim-runs.ts claimRuns',
    'workers/engine/statements/run-claims.ts isQueueLate',
    'workers/engine/statements/run-claims.ts loadSteps',
    'workers/engine/statements/run-claims.ts loadGivenOutputs',
    'workers/engine/statements/run-claims.ts loadBundle',
    'workers/engine/write-step-log.ts writeStepLog',
    'workers/engine/statements/run-leases.ts registerWorker',
    'src/process/readiness.ts isWorkerLive',
    'workers/engine/statements/run-leases.ts renewLease',
    'workers/engine/run-leases.ts retireWorker',
    'workers/engine/run-leases.ts compareHeldRuns',
    'workers/engine/run-leases.ts releaseUnknownRuns',
    'workers/engine/run-leases.ts reconcileRuns',
    'workers/engine/sub-workflows.ts startSubWorkflow',
    'workers/engine/worker-session.ts WorkerSession',
  ],
};

const ways = new Set(['withSystem', 'system', 'systemSessions']);

/** The functions of a source file that take the system's role, by name. */
function systemCallers(file: string, text: string): string[] {
  // Nine files of ten need not be parsed.
  if (!/\b(?:withSystem|system|systemSessions)\b/.test(text)) return [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    const name = ts.isPropertyAccessExpression(node)
      ? node.name.text
      : ts.isBindingElement(node) && ts.isObjectBindingPattern(node.parent)
        ? (node.propertyName ?? node.name).getText()
        : '';
    if (ways.has(name) && !isProcessorTime(node)) found.add(`${file} ${findOwner(node)}`);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...found];
}

/** `{ user, system }` of a process or a worker, which has nothing to do with the database. */
const isProcessorTime = (node: ts.Node): boolean =>
  ts.isBindingElement(node) &&
  ts.isVariableDeclaration(node.parent.parent) &&
  /\.(c|threadC)puUsage\(/.test(node.parent.parent.initializer?.getText() ?? '');

/** The outermost named function around a node: the one that a reader looks for. */
function findOwner(node: ts.Node): string {
  let owner = '(module)';
  for (let at: ts.Node | undefined = node; at; at = at.parent) {
    if (ts.isFunctionDeclaration(at) && at.name) owner = at.name.text;
    if (
      ts.isVariableDeclaration(at) &&
      ts.isIdentifier(at.name) &&
      at.parent.parent.parent.kind === ts.SyntaxKind.SourceFile
    )
      owner = at.name.text;
    if (ts.isClassDeclaration(at) && at.name) owner = at.name.text;
  }
  return owner;
}

test('every function that acts as causeway_system is listed with its reason', async () => {
  const found: string[] = [];
  for (const folder of ['src', 'workers', 'bin', 'rest-compat'])
    for await (const file of glob(`${folder}/**/*.ts`))
      found.push(...systemCallers(file, await readFile(file, 'utf8')));
  const listed = Object.values(allowed).flat();
  const unlisted = found.filter((caller) => !listed.includes(caller));
  const gone = listed.filter((caller) => !found.includes(caller));
  expect(
    unlisted,
    'These functions newly act as causeway_system, past row-level security. What is done for one tenant takes withTenant or ' +
      'withTenantSql, or forEachTenant within a transaction of the system; else list the function in this file with its reason.',
  ).toEqual([]);
  expect(gone, 'These functions do not act as causeway_system any more: remove them from the list.').toEqual([]);
});

test('a caller is found however it takes the role', () => {
  const text = `
    export const a = (database) => database.withSystem((client) => client);
    export function b({ system }) { return () => system.query('SELECT 1'); }
    class C { run() { return this.deps.database.system.query('SELECT 1'); } }
    const harmless = { system: 1 };
    const time = async (worker) => { const { user, system } = await worker.cpuUsage(); return user + system; };`;
  expect(systemCallers('x.ts', text)).toEqual(['x.ts a', 'x.ts b', 'x.ts C']);
});
