import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { runCauseway } from '#bin/causeway.ts';
import { deadJobsQueue } from '#src/infra/jobs.ts';
import { insertWorkflow } from '#test/automation/runs/run-rows.ts';
import { test } from '#test/setup/app-test.ts';
import type { Caller, TestApp } from '#test/setup/app.ts';
import { daysFromNow, makeNeedy } from './needy-rows.ts';

interface Item {
  kind: string;
  severity: string;
  title: string;
  message: string;
  count: number;
  since: string;
  nodeId: string;
  node: Record<string, unknown> | null;
}

const document = `query ($kinds: [AttentionKind!], $first: Int! = 100) { attention(kinds: $kinds, first: $first) {
  kind severity title message count since nodeId
  node { __typename id ... on DeadLetter { workflow { name } } ... on WebhookDestination { name status } ... on Credential { name }
    ... on BulkJob { profile rowsRejected } ... on FailedJob { job } } } }`;

async function read(api: TestApp, as: Caller = {}, variables: object = {}): Promise<Item[]> {
  const { data, errors } = await api.graphql<{ attention: Item[] }>(document, variables, as);
  expect(errors).toBeUndefined();
  return data.attention;
}

test('attention lists what needs a person, most severe first, with a node to open', async ({ api }) => {
  expect(await read(api)).toEqual([]);
  await makeNeedy(api, 'acme-shop');
  const items = await read(api);
  expect(items.map(({ kind, severity, title, count }) => [kind, severity, title, count])).toEqual([
    ['DESTINATION_DISABLED', 'CRITICAL', 'Gone', 3],
    ['CIRCUIT_OPEN', 'CRITICAL', 'acme-shop/slow', 7],
    ['CREDENTIAL_EXPIRING', 'CRITICAL', 'Revoked', 1],
    ['CREDENTIAL_EXPIRING', 'CRITICAL', 'Over', 1],
    ['IMPORT_REJECTS', 'CRITICAL', 'broken', 0],
    ['DESTINATION_DISABLED', 'CRITICAL', 'Down', 0],
    ['CREDENTIAL_EXPIRING', 'CRITICAL', 'Tomorrow', 1],
    ['DESTINATION_FAILING', 'WARNING', 'Fails', 2],
    ['FAILING_RUNS', 'WARNING', 'core:http-request', 3],
    ['DEAD_LETTERS', 'WARNING', 'Stock', 4],
    ['DEAD_LETTERS', 'WARNING', 'Orders', 2],
    ['IMPORT_REJECTS', 'WARNING', 'partial', 7],
    ['CREDENTIAL_EXPIRING', 'WARNING', 'Soon', 1],
    ['DESTINATION_FAILING', 'WARNING', 'Refuses', 0],
    ['DESTINATION_DISABLED', 'INFO', 'Paused', 0],
  ]);
  const find = (title: string) => items.find((item) => item.title === title);
  for (const { nodeId, node } of items) expect(node?.['id']).toBe(nodeId);
  expect(find('Stock')?.node).toMatchObject({ __typename: 'DeadLetter', workflow: { name: 'Stock' } });
  expect(find('Gone')?.node).toMatchObject({ __typename: 'WebhookDestination', name: 'Gone', status: 'DISABLED' });
  expect(find('Soon')?.node).toMatchObject({ __typename: 'Credential', name: 'Soon' });
  expect(find('partial')?.node).toMatchObject({ __typename: 'BulkJob', profile: 'partial', rowsRejected: 7 });
  expect(find('Gone')?.message).toBe('It was disabled because it answered 410. 3 deliveries were not sent.');
  expect(find('Fails')?.message).toBe('It has had no success for 10 minutes or longer. 2 deliveries were not sent.');
  expect(find('core:http-request')?.node).toMatchObject({ __typename: 'ErrorGroup' });
  expect(find('core:http-request')?.message).toBe(
    '3 runs failed: The ERP answered {n}. Mend the cause, retry them, and resolve the group.',
  );
  expect(find('Stock')?.message).toBe('4 firings did not start a run. Replay or discard them.');
  expect(find('broken')?.message).toBe('The import failed: The file is no CSV.');
  expect(find('Tomorrow')?.message).toBe(`It expires on ${daysFromNow(1).toISOString().slice(0, 10)}. Renew it.`);
  // The first failure, not the time of the last change.
  for (const title of ['Down', 'Refuses'])
    expect(Math.abs(Date.parse(find(title)?.since as string) - daysFromNow(-5).getTime())).toBeLessThan(600_000);
  expect(await read(api, {}, { kinds: ['DEAD_LETTERS'] })).toHaveLength(2);
  expect(await read(api, {}, { kinds: [] })).toEqual([]);
  expect(await read(api, {}, { first: 1 })).toHaveLength(1);
  for (const first of [0, 101, -1]) {
    const { errors } = await api.graphql(document, { first });
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION_FAILED' });
  }
}, 120_000);

test('another tenant, an API key and an operator without a tenant do not see what needs attention in a tenant', async ({
  ownApi: api,
}) => {
  await makeNeedy(api, 'acme-shop');
  expect(await read(api, { tenant: 'acme-outlet' })).toEqual([]);
  const noData = async (as: Caller) => (await api.graphql(document, {}, as)).errors?.[0]?.extensions?.['code'];
  expect(await noData({ apiKey: await api.apiKey(['webhooks:read', 'io:read']) })).toBe('FORBIDDEN');
  expect(await noData({ tenant: null })).toBe('TENANT_REQUIRED');
  expect(await noData({ roles: [] })).toBe('FORBIDDEN');

  await api.database.system.query(
    `INSERT INTO pgboss.job (id, name, data, state, source_name, source_retry_count, source_created_on, source_output)
     SELECT gen_random_uuid(), $1, '{}', 'created', job, 3, now(), '{"message": "It failed."}'
     FROM unnest('{themes.file.read,automation.workflow.build}'::text[]) WITH ORDINALITY AS jobs(job, position), generate_series(1, position)`,
    [deadJobsQueue],
  );
  const operator: Caller = { sub: 'an-operator', roles: ['operator'] };
  for (const as of [operator, { ...operator, tenant: null }]) {
    const items = await read(api, as);
    expect(items).toMatchObject([
      { kind: 'FAILED_JOBS', severity: 'WARNING' },
      { kind: 'FAILED_JOBS', severity: 'WARNING' },
    ]);
    const build = items.find(({ title }) => title === 'automation.workflow.build');
    expect(build).toMatchObject({ count: 2, node: { __typename: 'FailedJob', job: 'automation.workflow.build' } });
    expect(build?.node?.['id']).toBe(build?.nodeId);
  }
  const all = await read(api, { sub: 'both', roles: ['admin', 'operator'] });
  expect(new Set(all.map(({ kind }) => kind)).size).toBe(8);
  expect((await read(api)).map(({ kind }) => kind)).not.toContain('FAILED_JOBS');
});

test('a busy tenant gets a bounded list: 20 of a kind, and counts that end', async ({ ownApi: api }) => {
  const tenantId = 'acme-shop';
  for (let index = 0; index < 25; index += 1) {
    const id = await insertWorkflow(api.database, tenantId, `Workflow ${index}`);
    await api.database.system.query(
      `INSERT INTO dead_letters (tenant_id, workflow_id, trigger_id, source, trigger_handle)
       SELECT $1, $2, 1, 'webhook', gen_random_uuid() FROM generate_series(1, $3)`,
      [tenantId, id, index === 24 ? 10_500 : 2],
    );
  }
  const [only, ...others] = await read(api);
  expect(others).toEqual([]);
  expect(only).toMatchObject({ title: 'Workflow 24', count: 10_000 });
  expect(only?.message).toContain('10000 or more firings');
  await api.database.system.query(
    `UPDATE dead_letters SET status = 'discarded' WHERE tenant_id = $1 AND id % 10 > 0 AND workflow_id = (SELECT max(workflow_id) FROM dead_letters)`,
    [tenantId],
  );
  expect(await read(api)).toHaveLength(20);
});

test('the command prints what needs attention, and its exit code says whether anything is urgent', async ({
  ownApi: api,
}) => {
  await api.app.listen({ host: '127.0.0.1', port: 0 });
  const env = {
    CAUSEWAY_URL: `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}`,
    CAUSEWAY_TENANT: 'acme-shop',
    CAUSEWAY_TOKEN: await api.token({ roles: ['user'] }),
  };
  const causeway = async (...argv: string[]) => {
    const outcome = { code: 0, out: '', err: '' };
    outcome.code = await runCauseway(['attention', ...argv], {
      out: (text) => void (outcome.out += text),
      err: (text) => void (outcome.err += text),
      cwd: '/',
      env,
    });
    return outcome;
  };
  expect(await causeway()).toEqual({ code: 0, out: 'Nothing needs attention.\n', err: '' });
  await makeNeedy(api, 'acme-shop');
  expect(await causeway()).toMatchObject({
    code: 1,
    out: expect.stringMatching(/^critical {2}destination disabled {2}Gone\n/),
  });
  expect(JSON.parse((await causeway('--json')).out)).toMatchObject({ attention: expect.any(Array) });
  expect(await causeway('--help')).toMatchObject({ code: 0, out: expect.stringContaining('--tenant') });
});
