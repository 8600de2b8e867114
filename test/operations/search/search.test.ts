import pg from 'pg';
import { describe, expect } from 'vitest';
import { accessOfKind, typeOfKind } from '#src/operations/search/search.graphql.ts';
import type { SearchKind } from '#src/operations/search/search.inputs.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { makeRun, makeWorkflow } from '#test/setup/runs.ts';
import { schema } from '#test/setup/schema.ts';

let api: TestApp;
let runId: number;
test.beforeAll(async ({ api: started }) => {
  api = started;
  for (const [tenant, sign] of [
    ['acme-shop', 'S'],
    ['acme-outlet', 'Q'],
  ] as const) {
    const workflowId = await makeWorkflow(api.deps, tenant, `Orders to ERP ${sign}`);
    const madeRun = await makeRun(api.deps, tenant, workflowId);
    if (tenant === 'acme-shop') runId = madeRun;
    const own = { tenant };
    const { errors } = await api.graphql(
      `mutation ($workflowId: ID!) {
        createTrigger(input: { workflowId: $workflowId, type: WEBHOOK, name: "Parcel arrives ${sign}" }) { __typename }
        a: createProduct(input: { sku: "MUG-${sign}1", name: "Blue Coffee Mug" }) { __typename }
        b: createProduct(input: { sku: "100%_${sign}", name: "Percent" }) { __typename }
        c: createProduct(input: { sku: "RU-${sign}", name: "Кружка синяя" }) { __typename }
        d: createProduct(input: { sku: "AR-${sign}", name: "كوب قهوة" }) { __typename }
        createApiKey(input: { name: "Parcel service ${sign}", scopes: ["orders:read"] }) { __typename }
      }`,
      { workflowId: String(workflowId) },
      own,
    );
    expect(errors).toBeUndefined();
    const key = { apiKey: await api.apiKey(['*'], tenant), tenant };
    const { data: customer } = await api.graphql<{ upsertOrganization: { organization: { id: string } } }>(
      `mutation {
        bookMovement(input: { sku: "MUG-${sign}1", kind: RECEIPT, quantity: "5", reference: "first" }) { __typename }
        upsertOrganization(input: { customerNumber: "C-${sign}7", name: "Parcel & Sons" }) { ... on UpsertOrganizationPayload { organization { id } } } }`,
      {},
      key,
    );
    const placed = await api.graphql<{ createOrder: { message?: string } }>(
      `mutation ($organizationId: ID!) { createOrder(input: { organizationId: $organizationId, customerOrderNumber: "PO ${sign}-9",
        externalKey: "shop/${sign}", currency: "EUR", positions: [{ sku: "MUG-${sign}1", quantity: "1", unitPrice: "10" }] }) { ... on Error { message } } }`,
      { organizationId: customer.upsertOrganization.organization.id },
      own,
    );
    expect(placed).toEqual({ data: { createOrder: {} } });
  }
});

interface Result {
  kind: string;
  nodeId: string;
  title: string;
  subtitle: string;
  rank: number;
}
type Asking = Parameters<TestApp['graphql']>[2];

const document = `query ($text: String!, $kinds: [SearchKind!], $first: Int! = 20) {
  search(text: $text, kinds: $kinds, first: $first) { isPartial results { kind nodeId title subtitle rank } } }`;

async function search(text: string, asking: Asking = {}, more: object = {}): Promise<Result[]> {
  const { data, errors } = await api.graphql<{ search: { results: Result[]; isPartial: boolean } }>(
    document,
    { text, ...more },
    asking,
  );
  expect(errors).toBeUndefined();
  expect(data.search.isPartial).toBe(false);
  return data.search.results;
}

async function refusal(text: string, asking: Asking = {}, more: object = {}): Promise<unknown> {
  const { errors } = await api.graphql(document, { text, ...more }, asking);
  return errors?.map(({ extensions }) => extensions?.code);
}

const sortedKinds = (results: Result[]): string[] => results.map(({ kind }) => kind).toSorted();

describe('a search finds', () => {
  test.for([
    ['orders to', 'WORKFLOW', 'Orders to ERP S', 70],
    ['ERP S', 'WORKFLOW', 'Orders to ERP S', 60],
    ['parcel arr', 'TRIGGER', 'Parcel arrives S', 70],
    ['mug-s', 'PRODUCT', 'Blue Coffee Mug', 80],
    ['MUG-S1', 'PRODUCT', 'Blue Coffee Mug', 100],
    ['blue', 'PRODUCT', 'Blue Coffee Mug', 70],
    ['coffee', 'PRODUCT', 'Blue Coffee Mug', 60],
    ['offee mug', 'PRODUCT', 'Blue Coffee Mug', 40],
    ['mug coffee', 'PRODUCT', 'Blue Coffee Mug', 40],
    ['круж', 'PRODUCT', 'Кружка синяя', 70],
    ['كوب', 'PRODUCT', 'كوب قهوة', 70],
    ['c-s', 'CUSTOMER', 'Parcel & Sons', 80],
    ['sons', 'CUSTOMER', 'Parcel & Sons', 60],
    ['po s', 'ORDER', '100001', 80],
    ['PO S-9', 'ORDER', '100001', 100],
    ['shop/S', 'ORDER', '100001', 100],
    ['#100001', 'ORDER', '100001', 100],
    ['parcel serv', 'API_KEY', 'Parcel service S', 70],
  ] as const)('%s: a %s', async ([text, kind, title, rank]) => {
    const results = await search(text, {}, { kinds: [kind] });
    expect(results).toMatchObject([{ kind, title, rank }]);
  });

  test('a run by its id and by the name of its workflow', async () => {
    expect((await search(String(runId)))[0]).toMatchObject({ kind: 'RUN', title: String(runId), rank: 100 });
    expect(await search('orders', {}, { kinds: ['RUN'] })).toMatchObject([
      { kind: 'RUN', title: String(runId), subtitle: 'Orders to ERP S · queued', rank: 20 },
    ]);
  });

  test('objects of all kinds, each with the object to open', async () => {
    const { data, errors } = await api.graphql<{ search: { results: Result[] } }>(
      `query { search(text: "parcel") { results { kind nodeId
        ... on FoundTrigger { trigger { id } } ... on FoundOrganization { organization { id } }
        ... on FoundApiKey { apiKey { id } } ... on FoundOrder { order { id } } } } }`,
    );
    expect(errors).toBeUndefined();
    const { results } = data.search;
    expect(sortedKinds(results)).toEqual(['API_KEY', 'CUSTOMER', 'ORDER', 'TRIGGER']);
    for (const { kind: _kind, nodeId, ...opened } of results) expect(Object.values(opened)).toEqual([{ id: nodeId }]);
    const all = await api.graphql<{ search: { results: Result[] } }>(
      `query ($id: String!) { run: search(text: $id, kinds: [RUN]) { results { nodeId ... on FoundRun { run { id } } } }
        workflow: search(text: "orders", kinds: [WORKFLOW]) { results { nodeId ... on FoundWorkflow { workflow { id } } } }
        product: search(text: "mug", kinds: [PRODUCT]) { results { nodeId ... on FoundProduct { product { id } } } } }`,
      { id: String(runId) },
    );
    for (const [name, { results: found }] of Object.entries(all.data))
      expect(found).toEqual([{ nodeId: found[0]?.nodeId, [name]: { id: found[0]?.nodeId } }]);
  });

  test('one of each kind before a second of any, and no more than asked for', async () => {
    const results = await search('parcel', {}, { first: 2 });
    expect(sortedKinds(results)).toEqual(['CUSTOMER', 'TRIGGER']);
  });

  test('the run and the order that a request has caused, by the id that its sender gave it', async () => {
    const requestId = 'shop-4711/retry';
    const placed = await api.app.inject({
      method: 'POST',
      url: '/graphql',
      headers: {
        authorization: `Bearer ${await api.token()}`,
        'x-tenant-id': 'acme-outlet',
        'x-request-id': requestId,
      },
      payload: {
        query: `mutation { createOrder(input: { currency: "EUR", positions: [{ sku: "MUG-Q1", quantity: "1", unitPrice: "10" }] }) {
          ... on CreateOrderPayload { order { number } } } }`,
      },
    });
    const { number } = placed.json<{ data: { createOrder: { order: { number: string } } } }>().data.createOrder.order;
    for (const tenant of ['acme-shop', 'acme-outlet'])
      await api.database.withTenantSql(tenant, (tx) => tx.query('UPDATE runs SET request_id = $1', [requestId]));
    expect(await search(requestId)).toMatchObject([{ kind: 'RUN', title: String(runId), rank: 100 }]);
    const found = await search(requestId, { tenant: 'acme-outlet' });
    expect(found).toMatchObject([
      { kind: 'RUN', rank: 100 },
      { kind: 'ORDER', title: number, rank: 100 },
    ]);
    expect(await search('shop-4711')).toEqual([]);
  });

  test('a trigger by its handle', async () => {
    const { data } = await api.graphql<{ search: { results: { trigger: { handle: string } }[] } }>(
      '{ search(text: "parcel", kinds: [TRIGGER]) { results { ... on FoundTrigger { trigger { handle } } } } }',
    );
    const handle = data.search.results[0]?.trigger.handle ?? '';
    expect(await search(handle)).toMatchObject([{ kind: 'TRIGGER', rank: 100 }]);
  });
});

describe('a hostile text', () => {
  test.for(['%', '_', '\\', '%%%', "' OR 1=1 --", '"', '\u202e\u2066x', '😀', 'a'.repeat(191), '9'.repeat(191), '-1'])(
    '%o finds nothing that does not contain it',
    async (text) => {
      expect(await search(text)).toEqual([]);
    },
  );

  test('is taken letter by letter', async () => {
    expect(await search('100%_')).toMatchObject([{ kind: 'PRODUCT', title: 'Percent', rank: 80 }]);
    expect(await search('100__')).toEqual([]);
  });

  test.for([['', ' ', '\u200f', 'x'.repeat(192), 'x'.repeat(10_240), 'a\0b', '\ud800']])(
    'that is empty, too long or not storable is refused',
    async (texts) => {
      for (const text of texts)
        expect([text.slice(0, 9), await refusal(text)]).toEqual([text.slice(0, 9), ['VALIDATION_FAILED']]);
      expect(await refusal('x', {}, { first: 0 })).toEqual(['VALIDATION_FAILED']);
      expect(await refusal('x', {}, { first: 51 })).toEqual(['VALIDATION_FAILED']);
    },
  );

  test('of one letter finds what begins with it', async () => {
    const results = await search('p');
    expect(results.length).toBeGreaterThan(3);
    expect(results.every(({ rank }) => rank >= 70 || rank === 20)).toBe(true);
  });
});

describe('a search finds nothing of another tenant', () => {
  test.for(['MUG-Q1', 'mug-q', 'ERP Q', 'PO Q-9', 'shop/Q', 'C-Q7', 'Parcel arrives Q', 'service Q'])(
    '%s',
    async (text) => {
      expect(await search(text, { tenant: 'acme-outlet' })).not.toEqual([]);
      expect(await search(text)).toEqual([]);
    },
  );

  test('where both have objects of one name and number', async () => {
    const [mine, theirs] = [await search('1'), await search('1', { tenant: 'acme-outlet' })];
    expect(mine.map(({ nodeId }) => nodeId).filter((id) => theirs.some(({ nodeId }) => nodeId === id))).toEqual([]);
  });

  test('even where the condition on the tenant is missing from a statement', async () => {
    for (const view of [
      'searched_products',
      'searched_orders',
      'searched_workflows',
      'searched_organizations',
      'searched_api_keys',
    ]) {
      const rows = await api.database.tenantQuery<{ tenant_id: string }>('acme-shop', {
        text: `SELECT DISTINCT tenant_id FROM ${view}`,
      });
      expect([view, rows]).toEqual([view, [{ tenant_id: 'acme-shop' }]]);
    }
  });
});

describe('who searches', () => {
  test('as a member sees everything but API keys', async () => {
    expect(sortedKinds(await search('parcel', { roles: ['user'] }))).toEqual(['CUSTOMER', 'ORDER', 'TRIGGER']);
    expect(await refusal('parcel', { roles: ['user'] }, { kinds: ['API_KEY'] })).toEqual(['FORBIDDEN']);
  });

  test.for([
    ['orders:read', 'ORDER', '1'],
    ['products:read', 'PRODUCT', 'blue'],
    ['customers:read', 'CUSTOMER', 'parcel'],
  ] as const)('by a key of %s sees that kind alone: %s', async ([scope, kind, text]) => {
    const apiKey = await api.apiKey([scope]);
    expect(sortedKinds(await search(text, { apiKey }))).toEqual([kind]);
    for (const other of ['ORDER', 'PRODUCT', 'CUSTOMER', 'RUN', 'API_KEY'].filter((one) => one !== kind))
      expect(await refusal(text, { apiKey }, { kinds: [kind, other] })).toEqual(['FORBIDDEN']);
  });

  test('by a key that may not read customers finds no order by the name of its customer', async () => {
    expect(await search('parcel', { apiKey: await api.apiKey(['orders:read']) })).toEqual([]);
    expect(
      sortedKinds(await search('parcel', { apiKey: await api.apiKey(['orders:read', 'customers:read']) })),
    ).toEqual(['CUSTOMER', 'ORDER']);
  });

  test('needs a kind that it may see, and a tenant', async () => {
    expect(await refusal('x', { apiKey: await api.apiKey(['prices:read']) })).toEqual(['FORBIDDEN']);
    expect(await refusal('x', { roles: ['operator'] })).toEqual(['FORBIDDEN']);
    expect(await refusal('x', { tenant: '' })).toEqual(['TENANT_REQUIRED']);
    expect(await refusal('x', { bearer: null })).toEqual(['UNAUTHENTICATED']);
  });

  test('needs for each kind what reading its objects needs', () => {
    const read = (type: string) => {
      const extensions = schema.getType(type)?.extensions as Record<string, { authScopes?: object }> | undefined;
      return extensions?.['nodeAccess'] ?? extensions?.['pothosOptions']?.authScopes;
    };
    for (const kind of Object.keys(accessOfKind) as SearchKind[])
      expect([kind, accessOfKind[kind]]).toEqual([kind, read(typeOfKind[kind].node)]);
  });
});

test('without the trigram indexes a search still finds what begins with the text', async ({ ownApi }) => {
  const owner = new pg.Client({ connectionString: ownApi.databaseUrl });
  await owner.connect();
  await owner.query('DROP EXTENSION pg_trgm CASCADE');
  await owner.end();
  const ask = async (text: string) =>
    (await ownApi.graphql<{ search: { results: Result[] } }>(document, { text })).data.search.results;
  await ownApi.graphql('mutation { createProduct(input: { sku: "CUP-1", name: "Blue cup" }) { __typename } }');
  expect(await ask('blue')).toMatchObject([{ title: 'Blue cup', rank: 70 }]);
  expect(await ask('cup-')).toMatchObject([{ title: 'Blue cup', rank: 80 }]);
  expect(await ask('lue c')).toEqual([]);
});
