import pg from 'pg';
import { insertDeadLetters } from '#src/automation/firings/firings.store.ts';
import { runFailed } from '#src/automation/runs/runs.declarations.ts';
import { fingerprint } from '#src/journal/error-groups/error-fingerprint.rules.ts';
import { joinErrorGroups } from '#src/journal/error-groups/error-groups.store.ts';
import { relayBatch } from '#src/journal/outbox/outbox-reading.service.ts';
import { openCursor } from '#src/journal/outbox/outbox-upkeep.store.ts';
import { publishEvent } from '#src/journal/outbox/outbox.ts';
import { makeDueMessages, sendMessage } from '#src/operations/alerts/alert-messages.service.ts';
import type { AlertKind } from '#src/operations/alerts/alert-recipients.inputs.ts';
import { failedRunAlerts, noteDeadLetters, noteStates } from '#src/operations/alerts/note-alerts.service.ts';
import { insertWorkflow } from '#test/automation/runs/run-rows.ts';
import type { TestApp } from '#test/setup/app.ts';

export const tenantId = 'acme-shop';

/** A run of the workflow fails, as the engine records it. */
export async function failRun(
  { database }: TestApp,
  workflowId: number,
  message: string,
  { tenant = tenantId, isTest = false } = {},
): Promise<void> {
  const group = fingerprint({ kind: 'run', node: 'core:http-request', code: 'HTTP_ERROR', message });
  await database.withSystem(async (tx) => {
    const { rows } = await tx.query<{ id: number }>(
      `INSERT INTO runs (tenant_id, workflow_id, bundle_id, revision, trigger_type, status, error, error_group_id, is_test)
       VALUES ($1, $2, 1, 1, 'manual', 'failed', $3, $4, $5) RETURNING id`,
      [tenant, workflowId, message, group.id, isTest],
    );
    await joinErrorGroups(tx, [{ tenantId: tenant, ...group }]);
    const data = {
      run_id: rows[0]?.id ?? 0,
      workflow_id: workflowId,
      error: message,
      depth: 0,
      status: 'failed' as const,
    };
    await publishEvent(tx, { tenantId: tenant, topic: runFailed, data });
  });
}

export async function captureLetter({ database }: TestApp, workflowId: number, reason: string): Promise<number> {
  const [id] = await database.withTenantSql(tenantId, (tx) =>
    insertDeadLetters(tx, [
      {
        tenant_id: tenantId,
        workflow_id: workflowId,
        trigger_id: 1,
        type: 'webhook',
        handle: '7f9b2c52-8c1c-4d56-9d38-35a53f4d8ac1',
        reason,
        payload: '{"card":"4111111111111111"}',
        event_id: null,
      },
    ]),
  );
  return id as number;
}

/** Statements as the owner of the tables: none of the product's roles writes all of them. */
export async function asOwner(api: TestApp, text: string, values: unknown[] = []): Promise<{ id: number }[]> {
  const client = new pg.Client({ connectionString: api.databaseUrl });
  await client.connect();
  try {
    return (await client.query<{ id: number }>(text, values)).rows;
  } finally {
    await client.end();
  }
}

export const disableDestination = (api: TestApp, name: string) =>
  asOwner(
    api,
    `INSERT INTO webhook_destinations (tenant_id, name, url, topics, status, disabled_reason)
     VALUES ($1, $2, 'https://erp.example/secret-path', '{*}', 'disabled', 'gone') RETURNING id`,
    [tenantId, name],
  );

export const addCredential = (api: TestApp, name: string, expiresAt: Date) =>
  asOwner(
    api,
    `INSERT INTO credentials (tenant_id, credential_type_slug, name, public_config, config, config_key_version, expires_at)
     VALUES ($1, 'core:bearer', $2, '{}', '', 1, $3) RETURNING id`,
    [tenantId, name, expiresAt],
  );

export const failPoll = async (api: TestApp, name: string) => {
  const workflowId = await insertWorkflow(api.database, tenantId, 'Reconciliation');
  await asOwner(
    api,
    `WITH made AS (INSERT INTO triggers (tenant_id, workflow_id, type, name, config) VALUES ($1, $2, 'poll', $3, '{}') RETURNING id)
     INSERT INTO polls (tenant_id, trigger_id, workflow_id, active, failures, last_error)
     SELECT $1, id, $2, true, 3, 'The answer to order SO-1001 is no list.' FROM made`,
    [tenantId, workflowId, name],
  );
};

const dayMs = 86_400_000;

/** What brings about each kind, and how a message about it begins. */
export const causes: Record<
  AlertKind,
  { cause: (api: TestApp) => Promise<unknown>; headline: string; reason?: string }
> = {
  failed_runs: {
    cause: async (api) => {
      const workflowId = await insertWorkflow(api.database, tenantId, 'Orders <b>to</b> ERP');
      await failRun(api, workflowId, 'The ERP answered 503 for order SO-1001 with key sk_live_51Habc99887766.');
    },
    headline: '1 failed run of Orders <b>to</b> ERP',
    reason: 'core:http-request: The ERP answered <value> for order <value> with key <value>.',
  },
  dead_letters: {
    cause: async (api) =>
      captureLetter(api, await insertWorkflow(api.database, tenantId, 'Stock'), 'Workflow bundle is not ready.'),
    headline: '1 dead letter of Stock',
    reason: 'trigger:webhook: Workflow bundle is not ready.',
  },
  disabled_destinations: {
    cause: (api) => disableDestination(api, 'ERP'),
    headline: 'Webhook destination ERP is disabled',
    reason: 'It answered 410.',
  },
  expiring_credentials: {
    cause: (api) => addCredential(api, 'Carrier', new Date(Date.now() - dayMs)),
    headline: 'Credential Carrier has expired',
  },
  failing_polls: {
    cause: (api) => failPoll(api, 'ERP orders'),
    headline: 'Poll ERP orders fails',
  },
};

/** Notes everything that has happened, and makes the messages that are due at the time. */
export async function pass(api: TestApp, at: Date = new Date()): Promise<void> {
  const consumer = failedRunAlerts(() => at);
  await openCursor(api.database, consumer.name);
  for (;;) {
    const outcome = await relayBatch(api.database, consumer);
    // Transactions of other tests on the same server hold events up.
    if (outcome.outcome === 'idle' && !outcome.held) break;
    if (outcome.outcome === 'idle') await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await noteDeadLetters(api.deps, at);
  await noteStates(api.deps, at);
  await makeDueMessages(api.deps, at);
}

export interface MessageRow {
  id: number;
  status: string;
  attempts: number;
  error: string | null;
  event_id: string;
  sent_at: Date | null;
}

export async function messages({ database }: TestApp): Promise<MessageRow[]> {
  const { rows } = await database.system.query<MessageRow>(
    'SELECT id, status, attempts, error, event_id, sent_at FROM alert_messages WHERE tenant_id = $1 ORDER BY id',
    [tenantId],
  );
  return rows;
}

/** Does what the jobs of the unsent messages do once; returns the errors of those that failed. */
export async function sendWaiting(api: TestApp, at: Date = new Date()): Promise<string[]> {
  const errors: string[] = [];
  for (const { id, status } of await messages(api)) {
    if (status !== 'pending' && status !== 'sending') continue;
    await sendMessage(api.services, { tenantId, messageId: id }, () => at).catch((error: Error) =>
      errors.push(error.message),
    );
  }
  return errors;
}

/** Removes what earlier tests of the file have made. */
export async function clear(api: TestApp): Promise<void> {
  await pass(api);
  await asOwner(
    api,
    `DELETE FROM alert_recipients; DELETE FROM webhook_destinations; DELETE FROM credentials; DELETE FROM dead_letters; DELETE FROM runs;
     DELETE FROM error_groups; TRUNCATE workflows CASCADE`,
  );
}

const createDocument = `mutation ($input: CreateAlertRecipientInput!) { createAlertRecipient(input: $input) {
  ... on CreateAlertRecipientPayload { alertRecipient { id } }
  ... on ValidationError { fields { path messages } } ... on Error { message } } }`;

/** Adds a recipient through the graph; answers its id. */
export async function addRecipient(api: TestApp, input: object): Promise<string> {
  const { data } = await api.graphql<{ createAlertRecipient: { alertRecipient?: { id: string } } }>(createDocument, {
    input: { name: 'Operations', kinds: ['FAILED_RUNS'], ...input },
  });
  const id = data.createAlertRecipient.alertRecipient?.id;
  if (id === undefined) throw new Error(JSON.stringify(data));
  return id;
}
