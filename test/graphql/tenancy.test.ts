import { getNamedType } from 'graphql';
import { describe, expect } from 'vitest';
import { recordOrderSums } from '#src/commerce/metrics/metrics.service.ts';
import { readId } from '#src/infra/inputs.ts';
import { test } from '#test/setup/app-test.ts';
import type { Caller, TestApp } from '#test/setup/app.ts';
import { connect, ofOperation, subscribe } from '#test/setup/live.ts';
import { makeRun, makeWorkflow } from '#test/setup/runs.ts';
import { schema } from '#test/setup/schema.ts';
import {
  keyScopeOf,
  type Known,
  named,
  operationOf,
  type RootField,
  rootFields,
  scopeOf,
} from './generate-operation.ts';

let api: TestApp;
/** An object of each type, all of acme-shop, by global id. */
const owned: Record<string, string> = {};

test.beforeAll(async ({ api: started }) => {
  api = started;
  Object.assign(owned, await makeOwned(api));
});

/** Add a line for each new type that implements Node. */
async function makeOwned({ apiKey, deps, graphql }: TestApp): Promise<Record<string, string>> {
  const workflowId = await makeWorkflow(deps, 'acme-shop', 'Private');
  const runId = await makeRun(deps, 'acme-shop', workflowId);
  const { data } = await graphql<{ createTrigger: { trigger: { id: string; handle: string } } }>(
    `
      mutation ($id: ID!) {
        createTrigger(input: { workflowId: $id, type: WEBHOOK, name: "Hook" }) {
          ... on CreateTriggerPayload {
            trigger {
              id
              handle
            }
          }
        }
      }
    `,
    { id: workflowId },
  );
  const { id: triggerId, handle } = data.createTrigger.trigger;
  const fired = await graphql<{ fireWebhook: { deadLetterId: number } }>(
    'mutation ($handle: String!) { fireWebhook(input: { handle: $handle }) { ... on FireWebhookPayload { deadLetterId } } }',
    { handle },
  );
  const credential = await graphql<{ createCredential: { credential: { id: string } } }>(`
    mutation {
      createCredential(input: { credentialTypeSlug: "core:bearer", name: "Private", config: { token: "a-token" } }) {
        ... on CreateCredentialPayload {
          credential {
            id
          }
        }
      }
    }
  `);
  const log = await graphql<{ auditLog: { edges: { node: { id: string } }[] } }>(
    '{ auditLog(first: 1) { edges { node { id } } } }',
  );
  const scheduled = await graphql<{ createTrigger: { trigger: { schedule: { id: string } } } }>(
    `
      mutation ($id: ID!) {
        createTrigger(input: { workflowId: $id, type: SCHEDULE, name: "Daily", config: { cron: "@daily" } }) {
          ... on CreateTriggerPayload {
            trigger {
              schedule {
                id
              }
            }
          }
        }
      }
    `,
    { id: workflowId },
  );
  const revision = await graphql<{ workflowRevision: { id: string } }>(
    'query ($id: ID!) { workflowRevision(workflowId: $id, revision: 1) { id } }',
    { id: workflowId },
  );
  await deps.database.withTenant('acme-shop', async (tx) => {
    await tx.stateNamespace.create({ data: { tenantId: 'acme-shop', namespace: 'private' } });
    const key = 'a key/with: signs %';
    await tx.stateEntry.create({ data: { tenantId: 'acme-shop', namespace: 'private', key, value: 1, size: 20 } });
  });
  const kept = await graphql<{ putSecret: { secret: { id: string } } }>(
    'mutation { putSecret(input: { key: "PRIVATE", value: "a-secret" }) { ... on PutSecretPayload { secret { id } } } }',
  );
  const state = await graphql<{
    stateNamespaces: { edges: { node: { id: string } }[] };
    stateEntries: { edges: { node: { id: string } }[] };
  }>('{ stateNamespaces { edges { node { id } } } stateEntries(namespace: "private") { edges { node { id } } } }');
  const key = await graphql<{ createApiKey: { apiKey: { id: string } } }>(
    'mutation { createApiKey(input: { name: "Private", scopes: ["*"] }) { ... on CreateApiKeyPayload { apiKey { id } } } }',
  );
  const product = await graphql<{ createProduct: { product: { id: string } } }>(
    'mutation { createProduct(input: { sku: "PRIVATE", name: "Private" }) { ... on CreateProductPayload { product { id } } } }',
  );
  const priced = await graphql<Record<string, Record<string, { id: string }>>>(
    'mutation { createPriceList(input: { code: "PRIVATE", name: "Private", currency: "EUR" }) { ... on CreatePriceListPayload { priceList { id } } } upsertPrice(input: { list: "PRIVATE", sku: "PRIVATE", amount: "1" }) { ... on UpsertPricePayload { price { id } } } }',
  );
  const { upsertOrganization } = (
    await graphql<{ upsertOrganization: { organization: { id: string } } }>(
      'mutation { upsertOrganization(input: { customerNumber: "PRIVATE", name: "Private" }) { ... on UpsertOrganizationPayload { organization { id } } } }',
      {},
      { apiKey: await apiKey(['customers:write']) },
    )
  ).data;
  const customers = await graphql<{
    createContact: { contact: { id: string } };
    upsertCostCentre: { costCentre: { id: string } };
  }>(
    `
      mutation ($organizationId: ID!) {
        createContact(input: { organizationId: $organizationId, email: "private@example.com" }) {
          ... on CreateContactPayload {
            contact {
              id
            }
          }
        }
        upsertCostCentre(input: { organizationId: $organizationId, code: "PRIVATE" }) {
          ... on UpsertCostCentrePayload {
            costCentre {
              id
            }
          }
        }
      }
    `,
    { organizationId: upsertOrganization.organization.id },
  );
  const attribute = await graphql<{ createAttribute: { attribute: { id: string } } }>(
    'mutation { createAttribute(input: { target: PRODUCT, code: "private", type: TEXT }) { ... on CreateAttributePayload { attribute { id } } } }',
  );
  const moved = await graphql<{ bookMovement: { movement: { id: string } } }>(`
    mutation {
      bookMovement(input: { sku: "PRIVATE", kind: RECEIPT, quantity: "1", reference: "private" }) {
        ... on BookMovementPayload {
          movement {
            id
          }
        }
      }
    }
  `);
  const order = await deps.database.withTenantSql('acme-shop', async (tx) => {
    const { rows } = await tx.query<Record<'order' | 'position' | 'shipment' | 'return' | 'payment', number>>(
      `WITH made AS (
         INSERT INTO orders (tenant_id, number, currency, net, tax, gross, placed_at, created_at, updated_at)
         VALUES ('acme-shop', 1, 'EUR', 1, 0, 1, now(), now(), now()) RETURNING id), lines AS (
         INSERT INTO order_positions
           (tenant_id, order_id, line, sku, name, location, quantity, unit_price, tax_rate, line_total, tax, reserved)
         SELECT 'acme-shop', id, 1, 'PRIVATE', 'Private', 'main', 1, 1, 0, 1, 0, 0 FROM made RETURNING id
       ), sent AS (
         INSERT INTO fulfillments (tenant_id, order_id, kind, reference)
         SELECT 'acme-shop', id, unnest(ARRAY['shipment', 'return']), 'PRIVATE' FROM made RETURNING kind, id
       ), paid AS (
         INSERT INTO payments (tenant_id, order_id, kind, amount, reference)
         SELECT 'acme-shop', id, 'captured', 1, 'PRIVATE' FROM made RETURNING id
       )
       SELECT made.id AS order, lines.id AS position, paid.id AS payment,
         (SELECT id FROM sent WHERE kind = 'shipment') AS shipment, (SELECT id FROM sent WHERE kind = 'return') AS return
       FROM made, lines, paid`,
    );
    return rows[0];
  });
  const organizationId = readId('Organization', upsertOrganization.organization.id);
  await deps.database.withTenant('acme-shop', (tx) =>
    recordOrderSums(tx, 'acme-shop', { organizationId, currency: 'EUR', placedAt: new Date(), net: '1', sign: 1 }),
  );
  const metrics = await graphql<{ organizationMetrics: { edges: { node: { id: string } }[] } }>(
    '{ organizationMetrics { edges { node { id } } } }',
  );
  await deps.database.system.query(
    `INSERT INTO steps (tenant_id, run_id, path, node_id, attempt, status, started_at, completed_at)
     VALUES ('acme-shop', $1, 'each/1/map', 'map', 1, 'succeeded', now(), now())`,
    [runId],
  );
  const globalId = (type: string, id: number | string) => Buffer.from(`${type}:${id}`).toString('base64');
  return {
    Attribute: attribute.data.createAttribute.attribute.id,
    ApiKey: key.data.createApiKey.apiKey.id,
    Organization: upsertOrganization.organization.id,
    OrganizationMetrics: metrics.data.organizationMetrics.edges[0]?.node.id as string,
    Contact: customers.data.createContact.contact.id,
    CostCentre: customers.data.upsertCostCentre.costCentre.id,
    Movement: moved.data.bookMovement.movement.id,
    Stock: btoa('Stock:PRIVATE'),
    PriceList: priced.data['createPriceList']?.['priceList']?.id as string,
    Price: priced.data['upsertPrice']?.['price']?.id as string,
    Order: globalId('Order', order?.order as number),
    OrderPosition: globalId('OrderPosition', order?.position as number),
    Shipment: globalId('Shipment', order?.shipment as number),
    Return: globalId('Return', order?.return as number),
    Payment: globalId('Payment', order?.payment as number),
    Product: product.data.createProduct.product.id,
    Workflow: globalId('Workflow', workflowId),
    Run: globalId('Run', runId),
    Step: globalId('Step', `${runId}/1/each/1/map`),
    Trigger: triggerId,
    Credential: credential.data.createCredential.credential.id,
    DeadLetter: globalId('DeadLetter', fired.data.fireWebhook.deadLetterId),
    AuditEntry: log.data.auditLog.edges[0]?.node.id as string,
    Schedule: scheduled.data.createTrigger.trigger.schedule.id,
    WorkflowRevision: revision.data.workflowRevision.id,
    TenantSecret: kept.data.putSecret.secret.id,
    StateNamespace: state.data.stateNamespaces.edges[0]?.node.id as string,
    StateEntry: state.data.stateEntries.edges[0]?.node.id as string,
    handle,
  };
}

/** Types of the catalogue, which belongs to no tenant, and the operator's. */
const shared = ['CredentialType', 'FailedJob', 'NodeDefinition', 'Org', 'OutboxFailure', 'Tenant', 'WorkflowTemplate'];
const readers = (type: string): string[] =>
  shared.includes(type)
    ? ['operator']
    : ['ApiKey', 'Attribute', 'AuditEntry'].includes(type)
      ? ['admin']
      : ['user', 'admin'];
/** What a price is asked for with; any other text is refused. */
const pricedOf = { sku: 'PRIVATE', quantity: '1', currency: 'EUR' };
const foreign: [string, Caller][] = [
  ['another tenant of the same org', { tenant: 'acme-outlet' }],
  ['a tenant of another org', { tenant: 'other-shop', org_id: 'other' }],
];

/** The noun that a field's `id` is of: what it answers, or what a mutation's name ends with. */
function nounOf({ operation, field }: RootField): string {
  const answered = getNamedType(field.type).name;
  if (operation !== 'mutation') return answered === 'RunLogLine' ? 'Run' : answered;
  return /[A-Z]\w*$/.exec(field.name)?.[0] ?? '';
}

/** What of a field's arguments names an object; undefined where nothing does. */
function naming(root: RootField): Known | undefined {
  const names = new Set(
    root.field.args.flatMap((argument) => {
      const type = getNamedType(argument.type);
      return 'getFields' in type && argument.name === 'input' ? Object.keys(type.getFields()) : [argument.name];
    }),
  );
  const known: Known = {
    ...(names.has('id') && { id: owned[nounOf(root)] ?? owned['Workflow'] }),
    ...(names.has('workflowId') && { workflowId: owned['Workflow'] }),
    ...(names.has('handle') && { handle: owned['handle'] }),
    ...(names.has('token') && { token: '00000000-0000-4000-8000-000000000000' }),
    // One that needs no config, as what is malformed may be refused before anything is looked for.
    ...(names.has('type') && root.field.name === 'createTrigger' && { type: 'MANUAL' }),
  };
  return Object.keys(known).length > 0 ? known : undefined;
}

const of = (wanted: string) => rootFields.filter(({ operation }) => operation === wanted);
const takesObject = ({ field }: RootField) =>
  field.args.some(({ name, type }) => {
    const named = getNamedType(type);
    const names = name === 'input' && 'getFields' in named ? Object.keys(named.getFields()) : [name];
    return names.some((each) => ['id', 'workflowId', 'handle'].includes(each));
  });

const code = (errors: { extensions?: { code?: string } }[] | undefined) => errors?.[0]?.extensions?.code;

const possible = schema.getPossibleTypes(schema.getType('Node') as never).map(({ name }) => name);
/** Ids of objects that are not there, by type, where a number is no key. */
const missing: Record<string, string> = {
  Org: 'nobody',
  StateEntry: 'private/nothing',
  StateNamespace: 'nothing',
  Tenant: 'nobody',
  Stock: 'NOTHING',
  TenantSecret: 'NOTHING',
  WorkflowRevision: '999/1',
};
const missingId = (type: string) => btoa(`${type}:${missing[type] ?? 999_999}`);

describe('an object', () => {
  test.each(possible)('of another tenant is nothing to node(id): %s', async (type) => {
    if (shared.includes(type)) return expect(owned[type]).toBeUndefined();
    const query = '{ node(id: $id) { id } }';
    const own = await api.graphql(`query ($id: ID!) ${query}`, { id: owned[type] });
    expect(own.data, `make one of the type ${type} in makeOwned`).toEqual({ node: { id: owned[type] } });
    for (const [, caller] of foreign) {
      const { data, errors } = await api.graphql(`query ($id: ID!) ${query}`, { id: owned[type] }, caller);
      expect({ data, errors }).toEqual({ data: { node: null }, errors: undefined });
    }
  });

  test('that does not exist is null, whatever is wrong with its id', async () => {
    const ids = ['', 'x', '\0', btoa('Workflow:999'), btoa('Workflow:x'), btoa('Nothing:1'), btoa('Query:1')];
    for (const id of ids) {
      const answer = await api.graphql('query ($id: ID!) { workflow(id: $id) { id } node(id: $id) { id } }', { id });
      expect([id, answer]).toEqual([id, { data: { workflow: null, node: null } }]);
    }
    expect(await api.graphql('{ node(id: "1") { id } }')).toEqual({ data: { node: null } });
  });

  test.each(possible)('of a tenant is not given to a request without one: %s', async (type) => {
    if (shared.includes(type)) return;
    const query = 'query ($id: ID!) { node(id: $id) { id } }';
    const { data, errors } = await api.graphql(query, { id: owned[type] }, { tenant: null });
    expect([data, code(errors)]).toEqual([{ node: null }, 'TENANT_REQUIRED']);
  });

  test.each(possible)('that the caller may not see is answered as one that does not exist: %s', async (type) => {
    const own = owned[type] ?? { Org: btoa('Org:acme'), Tenant: btoa('Tenant:acme-shop') }[type];
    if (own === undefined) return expect(shared).toContain(type);
    for (const fields of ['__typename', 'id']) {
      for (const roles of [[], ['user'], ['admin'], ['operator']]) {
        const [exists, none] = await Promise.all(
          [own, missingId(type)].map((id) =>
            api.graphql(`query ($id: ID!) { node(id: $id) { ${fields} } }`, { id }, { roles }),
          ),
        );
        const mayRead = roles.some((role) => readers(type).includes(role));
        if (mayRead) expect([roles, exists?.data['node']]).not.toEqual([roles, null]);
        else expect([roles, exists]).toEqual([roles, { data: { node: null } }]);
        expect([roles, none]).toEqual([roles, { data: { node: null } }]);
      }
    }
  });

  test('that was deleted cannot be found by any field', async () => {
    const id = await makeWorkflow(api.deps, 'acme-shop', 'Deleted');
    await api.graphql('mutation ($id: ID!) { deleteWorkflow(input: { id: $id }) { __typename } }', { id });
    const global = btoa(`Workflow:${id}`);
    const { data, errors } = await api.graphql(
      'query ($id: ID!, $global: ID!) { workflow(id: $id) { id } node(id: $global) { id } }',
      { id, global },
    );
    expect({ data, errors }).toEqual({ data: { workflow: null, node: null }, errors: undefined });
  });

  const queries = of('query').filter(
    (root) => takesObject(root) && scopeOf(root.field) !== 'operator' && root.field.name !== 'node',
  );
  test.each(named(queries))('is found by its own tenant and by no other: %s', async (_name, root) => {
    const { query, variables } = operationOf(root, naming(root));
    const own = await api.graphql(query, variables);
    expect(own.errors).toBeUndefined();
    expect(own.data).not.toEqual({ [root.field.name]: null });
    for (const [, caller] of foreign) {
      const { data, errors } = await api.graphql(query, variables, caller);
      expect({ data, errors }).toEqual({ data: { [root.field.name]: null }, errors: undefined });
    }
  });

  const mutations = of('mutation').filter((root) => takesObject(root) && scopeOf(root.field) !== 'operator');
  test.each(named(mutations))('is not changed by another tenant: %s', async (_name, root) => {
    const { query, variables } = operationOf(root, naming(root));
    const before = await fingerprint();
    for (const [, caller] of foreign) {
      const { data, errors } = await api.graphql<Record<string, object>>(query, variables, caller);
      expect(errors).toBeUndefined();
      expect(data[root.field.name]).toMatchObject({ __typename: 'NotFoundError', code: 'NOT_FOUND' });
    }
    expect(await fingerprint()).toEqual(before);
  });

  test.each(named(of('subscription').filter(takesObject)))(
    'is not shown live to another tenant: %s',
    async (_name, root) => {
      const { query, variables } = operationOf(root, naming(root));
      for (const [, { tenant, ...claims }] of foreign) {
        const client = await connect(api, { tenant: tenant ?? '', bearer: await api.token(claims) });
        subscribe(client, 's', query, variables);
        const [first] = await client.until((all) => ofOperation(all, 's').length > 0 && ofOperation(all, 's'));
        const said = first?.type === 'error' ? (first.payload as never) : first?.payload?.errors;
        expect(code(said)).toBe('NOT_FOUND');
        client.socket.close();
      }
    },
  );
});

/** All that the tenant's own objects are, so that any change shows. */
async function fingerprint(): Promise<unknown> {
  const tables = ['workflows', 'runs', 'triggers', 'dead_letters', 'audit_entries'];
  const counts = tables.map((table) => `(SELECT json_agg(t ORDER BY t.id) FROM ${table} t) AS ${table}`);
  const { rows } = await api.database.system.query(`SELECT ${counts.join(', ')}`);
  return rows[0];
}

/** A key with every scope but one. */
const keyWithout = (needed: string | undefined) => {
  const scopes = api.opened.keyScopes.filter((scope) => scope !== needed);
  return api.apiKey(scopes.length > 0 ? scopes : ['*']);
};

const roles = { member: 'user', tester: 'user', admin: 'admin', operator: 'operator' } as const;
const scoped = rootFields.flatMap((root): [string, RootField, NonNullable<ReturnType<typeof scopeOf>>][] => {
  const scope = scopeOf(root.field);
  return scope === null || root.operation === 'subscription' ? [] : [[root.name, root, scope]];
});

describe('a field', () => {
  test.each(scoped)('answers nobody without a token: %s', async (_name, root) => {
    const { query, variables } = operationOf(root, naming(root));
    for (const bearer of [null, 'nonsense']) {
      const { data, errors } = await api.graphql(query, variables, { bearer });
      expect(Object.values(data ?? {}).filter((value) => value !== null)).toEqual([]);
      expect(code(errors)).toBe('UNAUTHENTICATED');
    }
  });

  const inTenant = scoped.filter(([, , scope]) => scope === 'member' || scope === 'admin');
  test.each(inTenant)('answers nobody without a tenant that is his: %s', async (_name, root, scope) => {
    const { query, variables } = operationOf(root, naming(root));
    for (const tenant of [null, 'other-shop', 'nobody']) {
      const { errors } = await api.graphql(query, variables, { tenant, roles: [roles[scope as 'member']] });
      expect(code(errors)).toBe('TENANT_REQUIRED');
    }
  });

  const withRole = scoped.filter(([, , scope]) => scope !== 'authenticated' && scope !== 'identified');
  test.each(withRole)('answers nobody without the role: %s', async (_name, root, scope) => {
    const { query, variables } = operationOf(root, naming(root));
    const others = scope === 'tester' ? [] : [scope === 'member' ? 'operator' : 'user'];
    const { errors } = await api.graphql(query, variables, { roles: others });
    expect(code(errors)).toBe('FORBIDDEN');
  });

  const answered = rootFields.filter(({ operation }) => operation !== 'subscription');
  test.each(named(answered))('answers an API key with its scope alone: %s', async (_name, root) => {
    const needed = keyScopeOf(root.field);
    if (scopeOf(root.field) === null || scopeOf(root.field) === 'identified') return;
    const { query, variables } = operationOf(root, { ...naming(root), ...pricedOf });
    const without = await api.graphql(query, variables, { apiKey: await keyWithout(needed) });
    expect(code(without.errors)).toBe('FORBIDDEN');
    if (needed === undefined) return;
    const key = await api.apiKey([needed]);
    expect((await api.graphql(query, variables, { apiKey: key })).errors).toBeUndefined();
    const elsewhere = await api.graphql(query, variables, { apiKey: key, tenant: 'acme-outlet' });
    expect(code(elsewhere.errors)).toBe('UNAUTHENTICATED');
  });

  const anybody = rootFields.filter(({ field }) => scopeOf(field) === null);
  test.each(named(anybody))('that is public answers anybody: %s', async (_name, root) => {
    const { query, variables } = operationOf(root);
    expect((await api.graphql(query, variables, { bearer: null })).errors).toBeUndefined();
  });
});

test('that takes an id is known to this test', () => {
  const nouns = rootFields
    .filter(
      ({ field }) => takesObject({ field } as RootField) && field.name !== 'node' && scopeOf(field) !== 'operator',
    )
    .filter(({ field }) => field.args.some(({ name }) => name === 'id'))
    .map(nounOf);
  expect(Object.keys(owned)).toEqual(expect.arrayContaining(nouns));
});
