import { runBulkAction } from '#src/operations/bulk-actions/run-bulk-action.service.ts';
import type { Caller, TestApp } from '#test/setup/app.ts';

export interface BulkAction {
  id: string;
  kind: string;
  status: string;
  total: number;
  done: number;
  refused: number;
  error: string | null;
  startedBy: string;
  refusals: { totalCount: number; edges: { node: { itemId: string; code: string; reason: string } }[] };
}

const fields = `id kind status total done refused error startedBy
  refusals(first: 100) { totalCount edges { node { itemId code reason } } }`;

export interface Started {
  __typename: string;
  message?: string;
  fields?: { path: string; messages: string[] }[];
  count: number;
  bulkAction: { id: string; status: string; total: number } | null;
  runs?: { databaseId: number }[];
  deadLetters?: { databaseId: number }[];
  webhookDeliveries?: { databaseId: number }[];
}

const lists: Record<string, string> = {
  retryRuns: 'runs',
  rerunRuns: 'runs',
  resumeRuns: 'runs',
  cancelRuns: 'runs',
  replayDeadLetters: 'deadLetters',
  discardDeadLetters: 'deadLetters',
  resendWebhookDeliveries: 'webhookDeliveries',
};

/** Calls a mutation that starts an action. */
export async function start(api: TestApp, mutation: string, input: object, as?: Caller): Promise<Started> {
  const title = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}`;
  const { data, errors } = await api.graphql<Record<string, Started>>(
    `mutation ($input: ${title}Input!) { ${mutation}(input: $input) { __typename
      ... on ${title}Payload { count bulkAction { id status total } ${lists[mutation]} { databaseId } }
      ... on Error { message } ... on ValidationError { fields { path messages } } } }`,
    { input },
    as,
  );
  if (errors) throw new Error(errors[0]?.message);
  return data[mutation] as Started;
}

export async function read(api: TestApp, id: string, as?: Caller): Promise<BulkAction> {
  const { data } = await api.graphql<{ bulkAction: BulkAction }>(
    `query ($id: ID!) { bulkAction(id: $id) { ${fields} } }`,
    { id },
    as,
  );
  return data.bulkAction;
}

export const toKey = (globalId: string): number =>
  Number(Buffer.from(globalId, 'base64').toString('utf8').split(':')[1]);

export const globalId = (type: string, id: number): string => Buffer.from(`${type}:${id}`).toString('base64');

/** Executes an action as a worker does, and answers how it ended. */
export async function execute(
  api: TestApp,
  id: string,
  { judgeMs = 0, tenantId = 'acme-shop' } = {},
): Promise<BulkAction> {
  await runBulkAction(api.services, { tenantId, bulkActionId: toKey(id) }, { judgeMs });
  return read(api, id);
}

export async function startAndExecute(api: TestApp, mutation: string, input: object): Promise<BulkAction> {
  const started = await start(api, mutation, input);
  if (!started.bulkAction) throw new Error(JSON.stringify(started));
  return execute(api, started.bulkAction.id);
}

/** Makes runs of a workflow in a status, in raw SQL, and answers their ids in order. */
export async function makeRuns(
  { database }: TestApp,
  workflowId: number,
  { count, status = 'failed', tenantId = 'acme-shop' }: { count: number; status?: string; tenantId?: string },
): Promise<number[]> {
  const { rows } = await database.system.query<{ id: number }>(
    `WITH made AS (
       INSERT INTO runs (tenant_id, workflow_id, bundle_id, revision, trigger_type, status, error, started_at, completed_at)
       SELECT $1, $2, b.id, 1, 'manual', $4, CASE WHEN $4 = 'failed' THEN 'It failed.' END, now(),
         CASE WHEN $4 IN ('failed', 'succeeded', 'cancelled') THEN now() END
       FROM workflow_bundles b, generate_series(1, $3) WHERE b.tenant_id = $1 AND b.workflow_id = $2 RETURNING id
     ), payloads AS (
       INSERT INTO run_payloads (tenant_id, run_id, payload) SELECT $1, id, jsonb_build_object('number', id) FROM made
     ) SELECT id FROM made ORDER BY id`,
    [tenantId, workflowId, count, status],
  );
  return rows.map(({ id }) => id);
}

/** How many entries of the audit log have each resource and action since an entry. */
export async function auditSince({ database }: TestApp, since: number): Promise<Record<string, number>> {
  const { rows } = await database.system.query<{ what: string; count: number }>(
    `SELECT resource_type || ' ' || action AS what, count(*)::int AS count FROM audit_entries WHERE id > $1 GROUP BY 1`,
    [since],
  );
  return Object.fromEntries(rows.map(({ what, count }) => [what, count]));
}

export async function newestAudit({ database }: TestApp): Promise<number> {
  const { rows } = await database.system.query<{ id: number }>('SELECT coalesce(max(id), 0) AS id FROM audit_entries');
  return rows[0]?.id as number;
}
