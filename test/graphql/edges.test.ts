import { getNamedType, getNullableType, isObjectType, isScalarType } from 'graphql';
import pg from 'pg';
import { describe, expect, vi } from 'vitest';
import { readId } from '#src/infra/inputs.ts';
import { createContact, upsertOrganization } from '#test/commerce/customers.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { makeRun, makeWorkflow } from '#test/setup/runs.ts';
import { schema } from '#test/setup/schema.ts';

/** Fields that name another object by its integer, `<name>Id`. */
const idFields = Object.values(schema.getTypeMap()).flatMap((type) => {
  if (!isObjectType(type)) return [];
  const fields = type.getFields();
  return Object.values(fields).flatMap((field): { field: string; leads: boolean }[] => {
    const [, name] = /^(?!database|\w+Database)(\w+)Id$/.exec(field.name) ?? [];
    const scalar = getNullableType(field.type);
    if (name === undefined || !isScalarType(scalar) || scalar.name !== 'Long') return [];
    const edge = fields[name];
    return [
      { field: `${type.name}.${field.name}`, leads: edge !== undefined && isObjectType(getNamedType(edge.type)) },
    ];
  });
});

test('an id is shown beside the object that it names', () => {
  expect(idFields.length).toBeGreaterThan(10);
  // `createUpload` answers the upload beside the place to send it to. `compareApi` names workflows of other tenants, which a request cannot read.
  expect(idFields.filter(({ leads }) => !leads).map(({ field }) => field)).toEqual([
    'BrokenWorkflowPlace.workflowId',
    'UploadTarget.uploadId',
  ]);
});

let api: TestApp;
let endpoint: string;
test.beforeAll(async ({ api: started }) => {
  api = started;
  endpoint = await makeThree(api);
});

const ofTenant = ({ deps }: TestApp, text: string, values: unknown[] = []) =>
  deps.database.withTenantSql('acme-shop', (tx) => tx.query(text, values));

/** Makes three of each object that leads to another, in acme-shop; answers the endpoint whose calls they are. */
async function makeThree({ deps, graphql }: TestApp): Promise<string> {
  for (const number of [1, 2, 3]) {
    const organization = await upsertOrganization(api, { customerNumber: `C-${number}`, name: `Company ${number}` });
    const email = `buyer-${number}@example.com`;
    const contact = await createContact(api, { organizationId: organization.id, email });
    await ofTenant(
      api,
      `WITH counted AS (
         INSERT INTO organization_metrics (tenant_id, organization_id, currency) VALUES ('acme-shop', $2, 'EUR')
       )
       INSERT INTO orders
         (tenant_id, number, organization_id, contact_id, currency, net, tax, gross, placed_at, created_at, updated_at)
       VALUES ('acme-shop', $1, $2, $3, 'EUR', 1, 0, 1, now(), now(), now())`,
      [number, organization.databaseId, contact.databaseId],
    );
  }
  const made = await graphql<{ createInboundEndpoint: { inboundEndpoint: { id: string } } }>(`
    mutation {
      createInboundEndpoint(
        input: { name: "ERP", config: { secret: "a-secret-of-nobody" }, target: { topic: "erp.sent" } }
      ) {
        ... on CreateInboundEndpointPayload {
          inboundEndpoint {
            id
          }
        }
      }
    }
  `);
  const { id } = made.data.createInboundEndpoint.inboundEndpoint;
  for (const number of [1, 2, 3]) {
    const workflowId = await makeWorkflow(deps, 'acme-shop', `Workflow ${number}`);
    const runId = await makeRun(deps, 'acme-shop', workflowId);
    await ofTenant(
      api,
      `WITH made AS (
         INSERT INTO triggers (tenant_id, workflow_id, type, name, updated_at)
         VALUES ('acme-shop', $1, 'schedule', 'Trigger ' || $2::text, now()) RETURNING tenant_id, id, workflow_id, handle
       ), planned AS (
         INSERT INTO schedules (tenant_id, trigger_id, workflow_id, cron, timezone, misfire, active)
         SELECT tenant_id, id, workflow_id, '@daily', 'UTC', 'skip', false FROM made
       ), kept AS (
         INSERT INTO dead_letters (tenant_id, workflow_id, trigger_id, source, trigger_handle, reason)
         SELECT tenant_id, workflow_id, id, 'schedule', handle, 'Reason ' || $2::text FROM made RETURNING id
       )
       INSERT INTO inbound_calls (tenant_id, endpoint_id, event_id, run_id, dead_letter_id)
       SELECT 'acme-shop', $3, 'event-' || $2::text, $4, id FROM kept`,
      [workflowId, number, readId('InboundEndpoint', id), runId],
    );
    await graphql(
      `
        mutation ($name: String!) {
          createWebhookDestination(input: { name: $name, url: "https://example.com", topics: ["*"] }) {
            ... on CreateWebhookDestinationPayload {
              webhookDestination {
                id
              }
            }
          }
        }
      `,
      { name: `Destination ${number}` },
    );
  }
  const { data } = await graphql<{ webhookDestinations: { edges: { node: { id: string } }[] } }>(
    '{ webhookDestinations { edges { node { id } } } }',
  );
  for (const { node } of data.webhookDestinations.edges)
    await graphql('mutation ($id: ID!) { pingWebhookDestination(input: { id: $id }) { __typename } }', { id: node.id });
  return id;
}

/** A list, the field of its nodes that leads on, what that shows of them, and the table it reads. */
const edges = [
  ['orders', 'organization { name }', 'Company', 'organizations'],
  ['orders', 'contact { email }', 'buyer', 'contacts'],
  ['organizationMetrics', 'organization { name }', 'Company', 'organizations'],
  ['schedules', 'workflow { name }', 'Workflow', 'workflows'],
  ['deadLetters', 'trigger { name }', 'Trigger', 'triggers'],
  ['calls', 'run { workflowName }', 'Workflow', 'runs'],
  ['calls', 'deadLetter { reason }', 'Reason', 'dead_letters'],
  ['webhookDeliveries', 'destination { name }', 'Destination', 'webhook_destinations'],
] as const;

const buildQuery = (list: string, field: string) =>
  list === 'calls'
    ? `query ($first: Int!, $id: ID!) { of: node(id: $id) { ... on InboundEndpoint { list: calls(first: $first) { edges { node { ${field} } } } } } }`
    : `query ($first: Int!) { list: ${list}(first: $first) { edges { node { ${field} } } } }`;

/** The objects that the nodes refer to, and the statements that were sent. */
async function read(list: string, field: string, first: number) {
  const sent = vi.spyOn(pg.Client.prototype, 'query');
  try {
    const variables = { first, ...(list === 'calls' && { id: endpoint }) };
    const { data, errors } = await api.graphql(buildQuery(list, field), variables);
    const statements = sent.mock.calls.map(
      ([query]) => (query as unknown as { text?: string } | undefined)?.text ?? '',
    );
    return { text: JSON.stringify(data), errors, statements };
  } finally {
    sent.mockRestore();
  }
}

describe('objects of a list', () => {
  test.for(edges)(
    'are followed from %s by %s, with as many statements for three as for one',
    async ([list, field, shown, table]) => {
      const one = await read(list, field, 1);
      const three = await read(list, field, 3);
      expect([one.errors, three.errors]).toEqual([undefined, undefined]);
      for (const number of [1, 2, 3]) expect(three.text).toContain(`${shown}${shown === 'buyer' ? '-' : ' '}${number}`);
      const reading = (statements: string[]) => statements.filter((text) => text.includes(table)).length;
      expect(reading(one.statements)).toBeGreaterThan(0);
      expect(reading(three.statements)).toBe(reading(one.statements));
    },
  );
});

test('settings lead to the credit workflow, and to null without one', async () => {
  const workflowId = await makeWorkflow(api.deps, 'acme-shop', 'Credit');
  const set = (creditWorkflowId: number | null) =>
    api.graphql(
      `mutation ($id: ID) {
        updateCommerceSettings(input: { creditWorkflowId: $id }) {
          ... on UpdateCommerceSettingsPayload { commerceSettings { creditWorkflow { name } } }
        }
      }`,
      { id: creditWorkflowId },
    );
  const answer = (creditWorkflow: object | null) => ({
    data: { updateCommerceSettings: { commerceSettings: { creditWorkflow } } },
  });
  expect(await set(workflowId)).toEqual(answer({ name: 'Credit' }));
  expect(await set(null)).toEqual(answer(null));
});

test('a reference to a deleted object is null', async () => {
  await ofTenant(
    api,
    `INSERT INTO dead_letters (tenant_id, workflow_id, trigger_id, source, trigger_handle)
     SELECT 'acme-shop', id, 999999, 'manual', gen_random_uuid() FROM workflows WHERE name = 'Workflow 1'`,
  );
  await ofTenant(
    api,
    `INSERT INTO inbound_calls (tenant_id, endpoint_id, event_id, run_id, dead_letter_id)
     VALUES ('acme-shop', $1, 'event-of-old', 999999, 999999)`,
    [readId('InboundEndpoint', endpoint)],
  );
  expect(await api.graphql('{ deadLetters(first: 1) { edges { node { trigger { id } } } } }')).toEqual({
    data: { deadLetters: { edges: [{ node: { trigger: null } }] } },
  });
  expect(
    await api.graphql(buildQuery('calls', 'eventId run { id } deadLetter { id }'), { first: 1, id: endpoint }),
  ).toEqual({
    data: { of: { list: { edges: [{ node: { eventId: 'event-of-old', run: null, deadLetter: null } }] } } },
  });
});

describe('a key follows a reference only with the scope of its target', () => {
  test.for([
    ['orders', 'organizationId contactId', 'organization { id }', 'orders:read', 'customers:read'],
    ['orders', 'organizationId contactId', 'contact { id }', 'orders:read', 'customers:read'],
    ['calls', 'runId deadLetterId', 'run { id }', 'webhooks:read', null],
    ['calls', 'runId deadLetterId', 'deadLetter { id }', 'webhooks:read', null],
  ] as const)('from %s, of which it reads %s, by %s', async ([list, ids, field, own, needed]) => {
    const ask = async (selection: string, scopes: string[]) => {
      const variables = { first: 3, ...(list === 'calls' && { id: endpoint }) };
      return api.graphql(buildQuery(list, selection), variables, { apiKey: await api.apiKey(scopes) });
    };
    expect((await ask(ids, [own])).errors).toBeUndefined();
    const all = api.services.keyScopes.filter((scope) => scope !== needed);
    for (const scopes of needed ? [[own], all] : [[own], ['*']]) {
      const { errors, data } = await ask(field, scopes);
      expect(errors?.[0]?.extensions?.code).toBe('FORBIDDEN');
      expect(JSON.stringify(data)).not.toContain('"id"');
    }
    if (needed) expect((await ask(field, [own, needed])).errors).toBeUndefined();
  });
});
