import { getNamedType } from 'graphql';
import { describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { Caller, TestApp } from '#test/setup/app.ts';
import { connect, ofOperation, subscribe } from '#test/setup/live.ts';
import { makeWorkflow } from '#test/setup/runs.ts';
import { schema } from '#test/setup/schema.ts';
import {
  findKeyScope,
  type Known,
  named,
  buildOperation,
  type RootField,
  rootFields,
  findScope,
} from './generate-operation.ts';
import { makeOwned } from './owned-objects.ts';

let api: TestApp;
/** An object of each type, all of acme-shop, by global id. */
const owned: Record<string, string> = {};

test.beforeAll(async ({ api: started }) => {
  api = started;
  Object.assign(owned, await makeOwned(api));
});

/** Types of the catalogue, which belongs to no tenant, and the operator's. */
const shared = [
  'CredentialType',
  'FailedJob',
  'NodeDefinition',
  'Org',
  'OutboxFailure',
  'Tenant',
  'Theme',
  'WorkflowTemplate',
];
const readers = (type: string): string[] =>
  shared.includes(type)
    ? ['operator']
    : ['ApiKey', 'Attribute', 'AuditEntry'].includes(type)
      ? ['admin']
      : ['user', 'admin'];
/** The parameters of a price; other texts are refused. */
const pricedItem = { sku: 'PRIVATE', quantity: '1', currency: 'EUR' };
const foreign: [string, Caller][] = [
  ['another tenant of the same org', { tenant: 'acme-outlet' }],
  ['a tenant of another org', { tenant: 'other-shop', org_id: 'other' }],
];

/** Nouns that subscriptions follow without answering one. */
const followedNouns: Record<string, string> = { RunLogLine: 'Run', WorkflowUpdate: 'Workflow' };

/** The noun that a field's `id` is of: what it answers, or what a mutation's name ends with. */
function findNoun({ operation, field }: RootField): string {
  const answered = getNamedType(field.type).name;
  if (operation !== 'mutation') return followedNouns[answered] ?? answered;
  return /[A-Z]\w*$/.exec(field.name)?.[0] ?? '';
}

/** The arguments of a field that name an object; undefined if none does. */
function naming(root: RootField): Known | undefined {
  const names = new Set(
    root.field.args.flatMap((argument) => {
      const type = getNamedType(argument.type);
      return 'getFields' in type && argument.name === 'input' ? Object.keys(type.getFields()) : [argument.name];
    }),
  );
  const known: Known = {
    ...(names.has('id') && { id: owned[findNoun(root)] ?? owned['Workflow'] }),
    ...(names.has('extensionId') && { extensionId: owned['Extension'] }),
    ...(names.has('block') && names.has('extensionId') && { block: 'private' }),
    ...(names.has('installationId') && { installationId: owned['Installation'] }),
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
    return names.some((each) => ['id', 'extensionId', 'installationId', 'workflowId', 'handle'].includes(each));
  });

const code = (errors: { extensions?: { code?: string } }[] | undefined) => errors?.[0]?.extensions?.code;

const possible = schema.getPossibleTypes(schema.getType('Node') as never).map(({ name }) => name);
/** Ids of objects that are not there, by type, where a number is not a key. */
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
  test.each(possible)('of another tenant is null for node(id): %s', async (type) => {
    if (shared.includes(type)) return expect(owned[type]).toBeUndefined();
    const query = '{ node(id: $id) { id } }';
    const own = await api.graphql(`query ($id: ID!) ${query}`, { id: owned[type] });
    expect(own.data, `make one of the type ${type} in owned-objects.ts`).toEqual({ node: { id: owned[type] } });
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

  test.each(possible)('of a tenant is not returned to a request without one: %s', async (type) => {
    if (shared.includes(type)) return;
    const query = 'query ($id: ID!) { node(id: $id) { id } }';
    const { data, errors } = await api.graphql(query, { id: owned[type] }, { tenant: null });
    expect([data, code(errors)]).toEqual([{ node: null }, 'TENANT_REQUIRED']);
  });

  test.each(possible)('that the caller may not see looks like a missing one: %s', async (type) => {
    const own = owned[type] ?? { Org: btoa('Org:acme'), Tenant: btoa('Tenant:acme-shop') }[type];
    if (own === undefined) return expect(shared).toContain(type);
    for (const fields of ['__typename', 'id']) {
      for (const roles of [[], ['user'], ['admin'], ['operator']]) {
        const { data, errors } = await api.graphql(
          `query ($own: ID!, $none: ID!) { own: node(id: $own) { ${fields} } none: node(id: $none) { ${fields} } }`,
          { own, none: missingId(type) },
          { roles },
        );
        const mayRead = roles.some((role) => readers(type).includes(role));
        if (mayRead) expect([roles, data['own']]).not.toEqual([roles, null]);
        else expect([roles, data['own']]).toEqual([roles, null]);
        expect([roles, data['none'], errors]).toEqual([roles, null, undefined]);
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
    (root) =>
      takesObject(root) &&
      findScope(root.field) !== 'operator' &&
      root.field.name !== 'node' &&
      !shared.includes(findNoun(root)),
  );
  test.each(named(queries))('is found only by its own tenant: %s', async (_name, root) => {
    const { query, variables } = buildOperation(root, naming(root));
    const own = await api.graphql(query, variables);
    expect(own.errors).toBeUndefined();
    expect(own.data).not.toEqual({ [root.field.name]: null });
    for (const [, caller] of foreign) {
      const { data, errors } = await api.graphql(query, variables, caller);
      expect({ data, errors }).toEqual({ data: { [root.field.name]: null }, errors: undefined });
    }
  });

  const mutations = of('mutation').filter((root) => takesObject(root) && findScope(root.field) !== 'operator');
  test.each(named(mutations))('is not changed by another tenant: %s', async (_name, root) => {
    const { query, variables } = buildOperation(root, naming(root));
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
      const { query, variables } = buildOperation(root, naming(root));
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

const keys = new Map<string, Promise<string>>();
/** A key with these scopes: one for all fields, as making one costs more than the requests with it. */
function keyWith(scopes: string[]): Promise<string> {
  const name = scopes.join(' ');
  const key = keys.get(name) ?? api.apiKey(scopes);
  keys.set(name, key);
  return key;
}

/** A key with every scope but one. */
const keyWithout = (needed: string | undefined) => {
  const scopes = api.services.keyScopes.filter((scope) => scope !== needed);
  return keyWith(scopes.length > 0 ? scopes : ['*']);
};

const roles = { member: 'user', tester: 'user', admin: 'admin', operator: 'operator' } as const;
const scoped = rootFields.flatMap((root): [string, RootField, NonNullable<ReturnType<typeof findScope>>][] => {
  const scope = findScope(root.field);
  return scope === null || root.operation === 'subscription' ? [] : [[root.name, root, scope]];
});

describe('a field', () => {
  test.each(scoped)('refuses requests without a token: %s', async (_name, root) => {
    const { query, variables } = buildOperation(root, naming(root));
    for (const bearer of [null, 'nonsense']) {
      const { data, errors } = await api.graphql(query, variables, { bearer });
      expect(Object.values(data ?? {}).filter((value) => value !== null)).toEqual([]);
      expect(code(errors)).toBe('UNAUTHENTICATED');
    }
  });

  const inTenant = scoped.filter(([, , scope]) => scope === 'member' || scope === 'admin');
  test.each(inTenant)('refuses requests without a tenant of the caller: %s', async (_name, root, scope) => {
    const { query, variables } = buildOperation(root, naming(root));
    for (const tenant of [null, 'other-shop', 'nobody']) {
      const { errors } = await api.graphql(query, variables, { tenant, roles: [roles[scope as 'member']] });
      expect(code(errors)).toBe('TENANT_REQUIRED');
    }
  });

  const withRole = scoped.filter(([, , scope]) => scope !== 'authenticated' && scope !== 'identified');
  test.each(withRole)('refuses requests without the role: %s', async (_name, root, scope) => {
    const { query, variables } = buildOperation(root, naming(root));
    // Fields that tester or two roles open refuse tokens without any.
    const others = scope in roles && scope !== 'tester' ? [scope === 'member' ? 'operator' : 'user'] : [];
    const { errors } = await api.graphql(query, variables, { roles: others });
    expect(code(errors)).toBe('FORBIDDEN');
  });

  const answered = rootFields.filter(({ operation }) => operation !== 'subscription');
  test.each(named(answered))('accepts an API key only with its scope: %s', async (_name, root) => {
    const needed = findKeyScope(root.field);
    if (findScope(root.field) === null || findScope(root.field) === 'identified') return;
    const { query, variables } = buildOperation(root, { ...naming(root), ...pricedItem });
    const without = await api.graphql(query, variables, { apiKey: await keyWithout(needed) });
    expect(code(without.errors)).toBe('FORBIDDEN');
    if (needed === undefined) return;
    const key = await keyWith([needed]);
    // An object with a name may not exist; the key was then not refused either.
    expect([undefined, 'NOT_FOUND']).toContain(code((await api.graphql(query, variables, { apiKey: key })).errors));
    const elsewhere = await api.graphql(query, variables, { apiKey: key, tenant: 'acme-outlet' });
    expect(code(elsewhere.errors)).toBe('UNAUTHENTICATED');
  });

  const anybody = rootFields.filter(({ field }) => findScope(field) === null);
  test.each(named(anybody))('that is public accepts every request: %s', async (_name, root) => {
    const { query, variables } = buildOperation(root);
    expect((await api.graphql(query, variables, { bearer: null })).errors).toBeUndefined();
  });
});

test('that takes an id is known to this test', () => {
  const nouns = rootFields
    .filter(
      ({ field }) => takesObject({ field } as RootField) && field.name !== 'node' && findScope(field) !== 'operator',
    )
    .filter((root) => !shared.includes(findNoun(root)))
    .filter(({ field }) => field.args.some(({ name }) => name === 'id'))
    .map(findNoun);
  expect(Object.keys(owned)).toEqual(expect.arrayContaining(nouns));
});
