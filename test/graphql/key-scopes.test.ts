import { getNamedType, isObjectType } from 'graphql';
import { describe, expect } from 'vitest';
import { readScopes } from '#rest/execute.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { schema } from '#test/setup/schema.ts';
import { makeOwned } from './owned-objects.ts';

let api: TestApp;
const owned: Record<string, string> = {};
test.beforeAll(async ({ api: started }) => {
  api = started;
  Object.assign(owned, await makeOwned(api));
});

/** The scope of a key that may read objects of the type; undefined where no key may. */
const findReader = (type: string): string | undefined =>
  (schema.getType(type)?.extensions as { nodeAccess?: { scope?: string } } | undefined)?.nodeAccess?.scope;
/** The registry of themes is the same for every tenant. */
const ofNoTenant = ['Theme'];
const nodes = schema.getPossibleTypes(schema.getType('Node') as never).map(({ name }) => name);

describe('an object', () => {
  test.for(nodes.filter((type) => findReader(type) !== undefined && !ofNoTenant.includes(type)))(
    'is given to a key of its tenant by its own scope alone: %s',
    async (type) => {
      const own = findReader(type) as string;
      const read = async (scopes: string[]) =>
        api.graphql(
          'query ($id: ID!) { node(id: $id) { id } }',
          { id: owned[type] },
          { apiKey: await api.apiKey(scopes) },
        );
      expect(await read([own])).toEqual({ data: { node: { id: owned[type] } } });
      expect(await read(api.services.keyScopes.filter((scope) => scope !== own))).toEqual({ data: { node: null } });
      const foreign = { apiKey: await api.apiKey(['*'], 'acme-outlet'), tenant: 'acme-outlet' };
      const query = 'query ($id: ID!) { node(id: $id) { id } }';
      expect(await api.graphql(query, { id: owned[type] }, foreign)).toEqual({ data: { node: null } });
    },
  );

  test('without a tenant is given to keys of all tenants by its scope: Theme', async () => {
    const themes = '{ themes(first: 1) { edges { node { id } } } }';
    const own = { apiKey: await api.apiKey(['theme:read'], 'acme-outlet'), tenant: 'acme-outlet' };
    const id = (await api.graphql<{ themes: { edges: { node: { id: string } }[] } }>(themes, {}, own)).data.themes
      .edges[0]?.node.id;
    const read = 'query ($id: ID!) { node(id: $id) { id } }';
    expect(await api.graphql(read, { id }, own)).toEqual({ data: { node: { id } } });
    const others = { apiKey: await api.apiKey(api.services.keyScopes.filter((scope) => scope !== 'theme:read')) };
    expect(await api.graphql(read, { id }, others)).toEqual({ data: { node: null } });
  });

  test.for(nodes.filter((type) => findReader(type) === undefined))('is given to no key at all: %s', async (type) => {
    const apiKey = await api.apiKey(['*']);
    const { data } = await api.graphql(
      'query ($id: ID!) { node(id: $id) { id } }',
      { id: owned[type] ?? '' },
      { apiKey },
    );
    expect(data).toEqual({ node: null });
  });
});

/** Fields of objects, not of the roots, that lead to a list of objects which keys read by a scope. */
const lists = Object.values(schema.getTypeMap()).flatMap((type) => {
  if (!isObjectType(type) || /^(Query|Mutation|Subscription)$|(Connection|Edge|Payload)$/.test(type.name)) return [];
  return Object.values(type.getFields()).flatMap((field): [string, string, string | undefined][] => {
    const of = /^(\w+)Connection$/.exec(getNamedType(field.type).name)?.[1];
    const scope = of === undefined ? undefined : findReader(of);
    return scope === undefined ? [] : [[`${type.name}.${field.name}`, scope, readScopes(field)?.scope]];
  });
});

describe('a list within an object', () => {
  test.for(lists)('%s requires %s of a key, because a key that only writes the object sees it', ([, scope, asked]) => {
    expect(asked).toBe(scope);
  });

  test.for([
    [
      'customers:write',
      'mutation { upsertOrganization(input: { customerNumber: "PRIVATE" }) { ... on UpsertOrganizationPayload { organization { name $ } } } }',
      'contacts { edges { node { email } } }',
    ],
    [
      'customers:write',
      'mutation { upsertOrganization(input: { customerNumber: "PRIVATE" }) { ... on UpsertOrganizationPayload { organization { name $ } } } }',
      'costCentres { edges { node { budget } } }',
    ],
    [
      'prices:write',
      'mutation { createPriceList(input: { code: "OWN", name: "Own", currency: "EUR" }) { ... on CreatePriceListPayload { priceList { name $ } } } }',
      'prices { edges { node { amount } } }',
    ],
    [
      'products:write',
      'mutation { createProduct(input: { sku: "OWN", name: "Own" }) { ... on CreateProductPayload { product { name $ } } } }',
      'price(currency: "EUR") { amount trace { list } }',
    ],
  ] as const)('is refused to a key of %s', async ([scope, document, nested]) => {
    const apiKey = await api.apiKey([scope]);
    const { data, errors } = await api.graphql(document.replace('$', nested), {}, { apiKey });
    expect(errors?.map(({ extensions }) => extensions?.code)).toEqual(['FORBIDDEN']);
    expect(JSON.stringify(data ?? null)).not.toMatch(/private@example|amount|budget/);
    const plain = await api.graphql(document.replace('$', '').replace('"OWN"', '"OWN-2"'), {}, { apiKey });
    expect(plain.errors).toBeUndefined();
  });

  test('of orders shows a key their customers only by number', async () => {
    const apiKey = await api.apiKey(['orders:read']);
    const { errors } = await api.graphql('{ orders { edges { node { organizationId contactId } } } }', {}, { apiKey });
    expect(errors).toBeUndefined();
    for (const query of [
      '{ organizations { totalCount } }',
      '{ contacts { totalCount } }',
      '{ stocks { totalCount } }',
    ]) {
      const refused = await api.graphql(query, {}, { apiKey });
      expect([query, refused.errors?.[0]?.extensions?.code]).toEqual([query, 'FORBIDDEN']);
    }
  });
});
