import pg from 'pg';
import { afterAll, describe, expect } from 'vitest';
import type { TriggerType } from '#prisma/enums.ts';
import { buildWorkflowJob } from '#src/automation/workflows/workflows.declarations.ts';
import { deadJobsQueue } from '#src/infra/jobs.ts';
import { rootFields } from '#test/graphql/generate-operation.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { fireRun, node, readyWorkflow, startTestEngine, untilRun } from '#test/setup/engine.ts';
import { moveRun } from '#test/setup/runs.ts';
import { serveExtension } from '#test/themes/extension-site.ts';
import { commerceMutations } from './commerce-mutations.ts';
import { pollMutations } from './poll-mutations.ts';
import { themeMutations } from './theme-mutations.ts';
import { unaudited } from './unaudited-mutations.ts';

let api: TestApp;
let owner: pg.Client;
test.beforeAll(async ({ api: started }) => {
  api = started;
  owner = new pg.Client({ connectionString: api.databaseUrl });
  await owner.connect();
  await owner.query(`INSERT INTO state_namespaces (tenant_id, namespace) VALUES ('acme-shop', 'orders')`);
  // A replay wants a worker that lives.
  await owner.query(
    `INSERT INTO workers (id, host, pid, lease_until) VALUES (gen_random_uuid(), 'h', 1, now() + interval '1 hour')`,
  );
});
afterAll(async () => {
  await owner.end();
});

interface Audited {
  /** Makes what the mutation needs and answers its input. */
  input: () => Promise<object> | object;
  /** `action resource_type`, as the log says it afterwards, oldest first. */
  writes: string[];
}
let count = 0;
const name = () => `Named ${(count += 1)}`;

async function mutate(field: string, input: object): Promise<Record<string, never>> {
  const title = `${field.charAt(0).toUpperCase()}${field.slice(1)}`;
  const { data, errors } = await api.graphql<Record<string, { __typename: string; code?: string }>>(
    `mutation ($input: ${title}Input!) { ${field}(input: $input) { __typename ... on Error { code message } ... on ValidationError { fields { path messages } } } }`,
    { input },
    { roles: ['admin', 'operator'] },
  );
  if (errors) throw new Error(`${field}: ${errors[0]?.message}`);
  expect(data[field]).toEqual({ __typename: `${title}Payload` });
  return data[field] as never;
}

const newest = async (table: string): Promise<number> =>
  (await owner.query(`SELECT max(id)::int AS id FROM ${table} WHERE tenant_id IN ('acme-shop', '')`)).rows[0].id;

async function make(field: string, input: object, table: string): Promise<number> {
  await mutate(field, input);
  return newest(table);
}

const received = (uploadId: number) =>
  owner.query(`UPDATE uploads SET storage_key = 'sha256/none' WHERE id = $1`, [uploadId]);

const workflow = () => make('createWorkflow', { name: name() }, 'workflows');
const newDraft = { version: 0, baseRevision: 1, blob: { version: 'v1', nodes: [], edges: [] } };
const outdatedNode = { ...node('a', 'set', { values: {} }), version: '0.9.0' };
const draftedWorkflow = async (nodes: object[] = []) => {
  const workflowId = await workflow();
  await mutate('saveWorkflowDraft', { workflowId, ...newDraft, blob: { ...newDraft.blob, nodes } });
  return workflowId;
};
const trigger = async () =>
  make('createTrigger', { workflowId: await workflow(), type: 'MANUAL', name: name() }, 'triggers');
const credential = () => make('createCredential', newCredential(), 'credentials');
const newCredential = () => ({ credentialTypeSlug: 'core:bearer', name: name(), config: { token: 'a-token' } });
const runnable = (type: TriggerType = 'manual') => readyWorkflow(api, { nodes: [node('a', 'set')] }, { type });
const queuedRun = async () => make('startRun', { workflowId: (await runnable()).workflowId }, 'runs');
const pendingLetter = async () => {
  const { workflowId, handle } = await runnable('webhook');
  await owner.query(`UPDATE workflows SET bundle_status = 'building' WHERE id = $1`, [workflowId]);
  const letter = await make('fireWebhook', { handle }, 'dead_letters');
  await owner.query(`UPDATE workflows SET bundle_status = 'ready' WHERE id = $1`, [workflowId]);
  return letter;
};
/** An event that the event triggers had put aside. */
const failure = async () => {
  const { rows } = await owner.query(
    `WITH event AS (
       INSERT INTO outbox_events (tenant_id, topic, data) VALUES ('acme-shop', 'nobody.waits', '{}') RETURNING *
     )
     INSERT INTO outbox_failures (consumer, id, event_id, tenant_id, error)
     SELECT 'event-triggers', id, event_id, tenant_id, '' FROM event RETURNING consumer, event_id AS "eventId"`,
  );
  return rows[0];
};
/** A job that failed at its last attempt, as pg-boss keeps it. */
const failedJob = async () => {
  const { rows } = await owner.query(
    `INSERT INTO pgboss.job (name, data, source_name, source_id, source_created_on, source_retry_count, source_output)
     SELECT $1, '{"tenantId": "acme-shop", "workflowId": 1}', $2, gen_random_uuid(), now(), 3, '{"message": "no"}' RETURNING id`,
    [deadJobsQueue, buildWorkflowJob.name],
  );
  return rows[0];
};
/** An action in a state, as another one's of the same user. */
const bulkAction = async (status: string) => {
  const { rows } = await owner.query(
    `INSERT INTO bulk_actions (tenant_id, kind, status, org_id, actor_user_id, actor_sub, channel)
     VALUES ('acme-shop', 'retry_runs', $1, 'acme', 1, 'test-admin', 'api') RETURNING id`,
    [status],
  );
  return rows[0];
};
const errorGroup = async () => {
  const { rows } = await owner.query(
    `INSERT INTO error_groups (tenant_id, id, kind, code, message) VALUES ('acme-shop', gen_random_uuid(), 'run', 'C', 'm') RETURNING id`,
  );
  return rows[0];
};
const otherBlob = { version: 'v1', nodes: [node('a', 'set', { values: {} })], edges: [] };

const audited: Record<string, Audited> = {
  createCredential: { input: newCredential, writes: ['create credential'] },
  updateCredential: { input: async () => ({ id: await credential(), name: name() }), writes: ['update credential'] },
  deleteCredential: { input: async () => ({ id: await credential() }), writes: ['delete credential'] },
  putSecret: { input: () => ({ key: `KEY_${(count += 1)}`, value: 'v' }), writes: ['create secret'] },
  deleteSecret: {
    input: async () => {
      await mutate('putSecret', { key: 'GONE', value: 'v' });
      return { key: 'GONE' };
    },
    writes: ['delete secret'],
  },
  createWorkflow: { input: () => ({ name: name() }), writes: ['create workflow'] },
  updateWorkflow: { input: async () => ({ id: await workflow(), blob: otherBlob }), writes: ['update workflow'] },
  restoreWorkflowRevision: {
    input: async () => {
      const workflowId = await workflow();
      await mutate('updateWorkflow', { id: workflowId, blob: otherBlob });
      return { workflowId, revision: 1 };
    },
    writes: ['update workflow'],
  },
  deleteWorkflow: {
    input: async () => {
      const workflowId = await workflow();
      await mutate('createTrigger', { workflowId, type: 'MANUAL', name: name() });
      return { id: workflowId };
    },
    writes: ['delete trigger', 'delete workflow'],
  },
  saveWorkflowDraft: {
    input: async () => ({ workflowId: await workflow(), ...newDraft }),
    writes: ['save workflow_draft'],
  },
  publishWorkflow: {
    input: async () => ({ workflowId: await draftedWorkflow(), version: 1 }),
    writes: ['publish workflow_draft', 'update workflow'],
  },
  upgradeNodes: {
    input: async () => ({ workflowId: await draftedWorkflow([outdatedNode]), version: 1 }),
    writes: ['save workflow_draft'],
  },
  discardWorkflowDraft: {
    input: async () => ({ workflowId: await draftedWorkflow(), version: 1 }),
    writes: ['discard workflow_draft'],
  },
  createTrigger: {
    input: async () => ({ workflowId: await workflow(), type: 'MANUAL', name: name() }),
    writes: ['create trigger'],
  },
  updateTrigger: { input: async () => ({ id: await trigger(), active: false }), writes: ['update trigger'] },
  deleteTrigger: { input: async () => ({ id: await trigger() }), writes: ['delete trigger'] },
  startRun: {
    input: async () => ({ workflowId: (await runnable()).workflowId }),
    writes: ['run.started workflow_run'],
  },
  fireWebhook: {
    input: async () => ({ handle: (await runnable('webhook')).handle }),
    writes: ['run.started workflow_run'],
  },
  rerunRun: { input: async () => ({ id: await queuedRun() }), writes: ['run.started workflow_run'] },
  retryRun: {
    input: async () => {
      const id = await queuedRun();
      await moveRun(api.deps, 'acme-shop', id, 'failed');
      return { id };
    },
    writes: ['run.started workflow_run'],
  },
  cancelRun: { input: async () => ({ id: await queuedRun() }), writes: ['run.finished workflow_run'] },
  replayDeadLetter: { input: async () => ({ id: await pendingLetter() }), writes: ['run.started workflow_run'] },
  putStateEntry: { input: () => ({ namespace: 'orders', key: name(), value: 1 }), writes: ['create state_entry'] },
  deleteStateEntry: {
    input: async () => {
      await mutate('putStateEntry', { namespace: 'orders', key: 'gone', value: 1 });
      return { namespace: 'orders', key: 'gone' };
    },
    writes: ['delete state_entry'],
  },
  retryOutboxFailure: { input: failure, writes: ['update outbox_failure'] },
  discardOutboxFailure: { input: failure, writes: ['delete outbox_failure'] },
  discardDeadLetter: { input: async () => ({ id: await pendingLetter() }), writes: ['discard dead_letter'] },
  retryRuns: { input: () => ({ filter: {} }), writes: ['start bulk_action'] },
  rerunRuns: { input: () => ({ filter: {} }), writes: ['start bulk_action'] },
  resumeRuns: { input: () => ({ filter: {} }), writes: ['start bulk_action'] },
  cancelRuns: { input: () => ({ filter: { workflowId: 1 } }), writes: ['start bulk_action'] },
  replayDeadLetters: { input: () => ({ filter: {} }), writes: ['start bulk_action'] },
  discardDeadLetters: { input: () => ({ ids: [1] }), writes: ['start bulk_action'] },
  resendWebhookDeliveries: { input: () => ({ ids: [1] }), writes: ['start bulk_action'] },
  resolveErrorGroup: { input: errorGroup, writes: ['resolve error_group'] },
  muteErrorGroup: { input: errorGroup, writes: ['mute error_group'] },
  assignErrorGroup: { input: errorGroup, writes: ['assign error_group'] },
  reopenErrorGroup: { input: errorGroup, writes: ['reopen error_group'] },
  cancelBulkAction: { input: () => bulkAction('queued'), writes: ['cancel bulk_action'] },
  continueBulkAction: { input: () => bulkAction('stopped'), writes: ['continue bulk_action'] },
  retryFailedJob: { input: failedJob, writes: ['update failed_job'] },
  retryFailedJobs: { input: () => ({ filter: {} }), writes: ['start bulk_action'] },
  discardFailedJob: { input: failedJob, writes: ['delete failed_job'] },
  updateRetention: { input: () => ({ runDays: 100 + (count += 1) }), writes: ['update retention'] },
  ...pollMutations({ make, workflow, name }),
  ...commerceMutations({ mutate, make, name, received }),
  ...themeMutations({ mutate, make, site: () => serveExtension(api) }),
};

const tables =
  `credentials credential_uses tenant_secrets workflows workflow_calls workflow_revisions workflow_drafts workflow_draft_versions triggers schedules polls poll_keys runs run_payloads run_results run_keys steps test_runs test_run_outputs test_run_state
  dead_letters state_entries state_namespaces retention_settings outbox_events outbox_failures audit_entries pgboss.job api_keys products
  attributes stock_movements stock_balances price_lists prices orders order_positions fulfillments payments commerce_settings
  import_profiles bulk_jobs bulk_actions bulk_action_batches error_groups saved_views sftp_accounts http_sources transfers transfer_files webhook_destinations webhook_queues webhook_payloads webhook_deliveries themes
  theme_installations extension_names extensions extension_assets extension_installations`.split(/\s+/);

/** The content of the tables that mutations write to, by the transactions that wrote their rows: every insert, update and delete shows. */
async function fingerprint(): Promise<unknown> {
  const sums = tables.map((table) => `(SELECT (count(*), sum(xmin::text::bigint))::text FROM ${table}) AS "${table}"`);
  return (await owner.query(`SELECT ${sums.join(', ')}`)).rows[0];
}

const entriesAfter = async (id: number) =>
  (
    await owner.query(
      `SELECT action || ' ' || resource_type AS what, resource_id, tenant_id, org_id, actor_sub, via_system, channel FROM audit_entries WHERE id > $1 ORDER BY id`,
      [id],
    )
  ).rows;

describe('the audit log', () => {
  test('has an entry for every mutation, or a listed reason for none', () => {
    const mutations = rootFields.filter(({ operation }) => operation === 'mutation').map(({ field }) => field.name);
    expect([...Object.keys(audited), ...Object.keys(unaudited)].toSorted()).toEqual(mutations.toSorted());
  });

  test.each(Object.entries(audited))(
    'records who did %s, in the same transaction',
    async (field, { input, writes }) => {
      const given = await input();
      // Without the entry, nothing of the change is made.
      const before = await fingerprint();
      await owner.query('REVOKE INSERT ON audit_entries FROM causeway_app, causeway_system');
      try {
        await expect(mutate(field, given)).rejects.toThrow('Server Error');
      } finally {
        await owner.query('GRANT INSERT ON audit_entries TO causeway_app, causeway_system');
      }
      expect(await fingerprint()).toEqual(before);

      const last = (await newest('audit_entries')) ?? 0;
      await mutate(field, given);
      const entries = await entriesAfter(last);
      expect(entries.map(({ what }) => what)).toEqual(writes);
      for (const entry of entries) {
        const channel = field === 'fireWebhook' ? 'webhook' : 'api';
        const [tenant_id, org_id] = field === 'retryFailedJobs' ? ['', ''] : ['acme-shop', 'acme'];
        expect(entry).toMatchObject({ tenant_id, org_id, actor_sub: 'test-admin', via_system: false, channel });
      }
    },
  );

  test('distinguishes a changed secret from a new one', async () => {
    await mutate('putSecret', { key: 'TWICE', value: 'v' });
    const last = await newest('audit_entries');
    await mutate('putSecret', { key: 'TWICE', value: 'w' });
    expect((await entriesAfter(last)).map(({ what }) => what)).toEqual(['update secret']);
  });

  test.each([
    ['set', { values: { a: 1 } }, 'run.finished workflow_run'],
    ['fail', { message: 'No stock.' }, 'run.failed workflow_run'],
  ])('records a run’s start and its end: %s', async (slug, config, end) => {
    const engine = await startTestEngine(api);
    try {
      const runId = await fireRun(api, await readyWorkflow(api, { nodes: [node('a', slug, config)] }));
      await untilRun(api, runId);
      const entries = (await entriesAfter(0))
        .filter((entry) => entry.resource_id === String(runId) && entry.what.startsWith('run.'))
        .map(({ what, via_system: bySystem }) => [what, bySystem]);
      expect(entries).toEqual([
        ['run.started workflow_run', true],
        [end, true],
      ]);
    } finally {
      await engine.stop();
    }
  });

  test('contains no value of a secret or a credential', async () => {
    await mutate('putSecret', { key: 'CANARY', value: 'canary-in-a-secret' });
    await mutate('createCredential', { ...newCredential(), config: { token: 'canary-in-a-token' } });
    const signed = { secret: 'canary-in-a-secret', headers: { 'X-Key': 'canary-in-a-header' } };
    const hook = { name: 'Canary', url: 'https://erp.example.com', topics: ['*'], ...signed };
    const destination = await make('createWebhookDestination', hook, 'webhook_destinations');
    await mutate('updateWebhookDestination', { id: destination, secret: 'another-canary-in-a-secret' });
    await mutate('rotateWebhookSecret', { id: destination, secret: 'a-third-canary-in-a-secret' });
    const bound = { name: 'Canary', target: { topic: 'erp.canary.sang' }, config: { secret: 'canary-in-a-secret' } };
    const endpoint = await make('createInboundEndpoint', bound, 'inbound_endpoints');
    await mutate('updateInboundEndpoint', { id: endpoint, config: { secret: 'another-canary-in-a-secret' } });
    await mutate('rotateInboundEndpoint', { id: endpoint, secret: 'a-third-canary-in-a-secret' });
    const { rows } = await owner.query(
      `SELECT count(*)::int AS count FROM audit_entries a WHERE a::text LIKE '%canary-in%'`,
    );
    expect(rows[0].count).toBe(0);
  });
});

describe('an audit entry', () => {
  const statements = [
    `UPDATE %s SET action = 'x'`,
    'DELETE FROM %s',
    'TRUNCATE %s',
    'ALTER TABLE %s DISABLE ROW LEVEL SECURITY',
    'DROP TABLE %s',
    'SELECT FROM %s FOR UPDATE',
  ];
  const places = ['audit_entries', 'audit_entries_p0'];
  test.each(
    ['causeway_app', 'causeway_system'].flatMap((role) =>
      places.flatMap((place) => statements.map((text) => [role, text.replace('%s', place)])),
    ),
  )('is refused to %s for: %s', async (role, statement) => {
    expect(await newest('audit_entries')).toBeGreaterThan(0);
    await owner.query('BEGIN');
    try {
      await owner.query(`SET LOCAL ROLE ${role}`);
      await owner.query(`SELECT set_config('causeway.tenant_id', 'acme-shop', true)`);
      await expect(owner.query(statement)).rejects.toThrow(/permission denied|must be owner/);
    } finally {
      await owner.query('ROLLBACK');
    }
  });

  test('of another tenant can be neither read nor written by a request', async () => {
    const { rows } = await owner.query(
      `SELECT count(*)::int AS count FROM audit_entries WHERE tenant_id = 'acme-shop'`,
    );
    expect(rows[0].count).toBeGreaterThan(0);
    const seen = await api.database.withTenant('acme-outlet', (tx) => tx.auditEntry.count());
    expect(seen).toBe(0);
    const entry = {
      orgId: 'acme',
      tenantId: 'acme-shop',
      viaSystem: true,
      channel: 'api',
      action: 'create',
      resourceType: 'x',
      resourceId: '1',
    };
    await expect(api.database.withTenant('acme-outlet', (tx) => tx.auditEntry.create({ data: entry }))).rejects.toThrow(
      'row-level security',
    );
  });
});
