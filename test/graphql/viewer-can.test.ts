import { getNamedType, isObjectType } from 'graphql';
import { describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { Caller, TestApp } from '#test/setup/app.ts';
import { schema } from '#test/setup/schema.ts';
import { buildOperation, rootFields } from './generate-operation.ts';
import { makeOwned } from './owned-objects.ts';

let api: TestApp;
test.beforeAll(async ({ api: started }) => {
  api = started;
  await api.graphql('mutation { createWorkflow(input: { name: "Orders to ERP" }) { __typename } }');
  await api.graphql(`mutation {
    createTrigger(input: { workflowId: 1, type: SCHEDULE, name: "Daily", config: { cron: "@daily" } }) { __typename }
  }`);
  await api.deps.database.withTenant('acme-shop', async (tx) => {
    const entry = { tenantId: 'acme-shop', namespace: 'orders' };
    await tx.stateNamespace.create({ data: entry });
    await tx.stateEntry.create({ data: { ...entry, key: 'last', value: 1, size: 5 } });
  });
});

type Permissions = Record<string, boolean>;
interface Answer {
  workflows: {
    edges: { node: { viewerCan: Permissions; revisions: { edges: { node: { viewerCan: Permissions } }[] } } }[];
  };
  nodes: { edges: { node: { viewerCan: Permissions } }[] };
  schedules: { edges: { node: { viewerCan: Permissions } }[] };
  stateEntries: { edges: { node: { viewerCan: Permissions } }[] };
}

/** The mutation that each permission of a type speaks of. */
const listMutations = (name: string): [can: string, mutation: string][] => {
  const type = schema.getType(name);
  if (!isObjectType(type)) throw new Error(`There is no type ${name}.`);
  return Object.values(type.getFields()).map((can) => [can.name, /`(\w+)`/.exec(can.description ?? '')?.[1] ?? '']);
};

/** True if the mutation is refused because of the caller's access, before anything else is checked. */
async function isForbidden(mutation: string, as: Caller): Promise<boolean> {
  const field = rootFields.find(({ name }) => name === `Mutation.${mutation}`);
  if (!field) throw new Error(`There is no mutation ${mutation}.`);
  const { query, variables } = buildOperation(field, { id: '999999' });
  const { errors } = await api.graphql(query, variables, as);
  return errors?.some(({ extensions }) => extensions?.['code'] === 'FORBIDDEN') === true;
}

describe('the permissions of the viewer on an object', () => {
  test.each(['admin', 'user'])('is what its mutations answer to a token with the role %s', async (role) => {
    const viewerCan = (name: string) =>
      `viewerCan { ${listMutations(name)
        .map(([can]) => can)
        .join(' ')} }`;
    const query = `{
      workflows { edges { node {
        ${viewerCan('WorkflowPermissions')}
        revisions(first: 1) { edges { node { ${viewerCan('WorkflowRevisionPermissions')} } } }
      } } }
      nodes(first: 1) { edges { node { ${viewerCan('NodePermissions')} } } }
      schedules(first: 1) { edges { node { ${viewerCan('SchedulePermissions')} } } }
      stateEntries(namespace: "orders") { edges { node { ${viewerCan('StateEntryPermissions')} } } }
    }`;
    const { data, errors } = await api.graphql<Answer>(query, {}, { roles: [role] });
    expect(errors).toBeUndefined();
    for (const [name, edge] of [
      ['WorkflowPermissions', data.workflows.edges[0]],
      ['WorkflowRevisionPermissions', data.workflows.edges[0]?.node.revisions.edges[0]],
      ['NodePermissions', data.nodes.edges[0]],
      ['SchedulePermissions', data.schedules.edges[0]],
      ['StateEntryPermissions', data.stateEntries.edges[0]],
    ] as const) {
      const expected: Permissions = {};
      for (const [can, mutation] of listMutations(name))
        expected[can] = !(await isForbidden(mutation, { roles: [role] }));
      expect(edge?.node.viewerCan).toEqual(expected);
    }
    expect(data.workflows.edges[0]?.node.viewerCan).toMatchObject({ fire: true, delete: role === 'admin' });
  });

  test('are correct for every type that has them, for each role and for a key', async () => {
    const owned = await makeOwned(api);
    const types = Object.keys(owned).flatMap((name) => {
      const type = schema.getType(name);
      const permissions = isObjectType(type) ? type.getFields()['viewerCan']?.type : undefined;
      return permissions ? [{ name, mutations: listMutations(String(permissions).replace('!', '')) }] : [];
    });
    const answersTo = async (as: Caller): Promise<Record<string, Permissions>> => {
      const answers: Record<string, Permissions> = {};
      for (const { name, mutations } of types) {
        const query = `query ($id: ID!) { node(id: $id) { ... on ${name} { viewerCan { ${mutations.map(([can]) => can).join(' ')} } } } }`;
        const { data } = await api.graphql<{ node: { viewerCan: Permissions } | null }>(query, { id: owned[name] }, as);
        if (!data?.node) continue;
        const expected: Permissions = {};
        for (const [can, mutation] of mutations) expected[can] = !(await isForbidden(mutation, as));
        expect([name, data.node.viewerCan]).toEqual([name, expected]);
        answers[name] = data.node.viewerCan;
      }
      return answers;
    };
    const admin = await answersTo({ roles: ['admin'] });
    expect(Object.keys(admin)).toEqual(types.map(({ name }) => name));
    const { Extension, ...ofAdmins } = admin;
    expect(Extension).toMatchObject({ install: true, publish: false });
    expect(Object.values(ofAdmins).flatMap(Object.values)).not.toContain(false);
    const user = await answersTo({ roles: ['user'] });
    expect(user).toMatchObject({
      Order: { acknowledge: false, release: false },
      Organization: { update: false },
      Product: { update: false, delete: false },
      Price: { update: false },
      Stock: { book: false, setReorderPoint: false },
      BulkJob: { cancel: false },
      WebhookDestination: { update: false, ping: false },
      Workflow: { fire: true, delete: false },
    });
    const apiKey = await api.apiKey(['orders:read', 'orders:write', 'products:read']);
    const key = await answersTo({ apiKey });
    expect(key).toMatchObject({ Order: { acknowledge: true, release: false }, Product: { update: false } });
    expect(key['Stock']).toBeUndefined();
  });

  test.each(['admin', 'user', 'operator'])('%s: me lists the mutations that they allow', async (role) => {
    const as = { roles: [role] };
    const { data } = await api.graphql<{ me: { context: { mutations: string[] } } }>(
      '{ me { context { mutations } } }',
      {},
      as,
    );
    const expected: string[] = [];
    for (const mutation of Object.keys(schema.getMutationType()?.getFields() ?? {}))
      if (!(await isForbidden(mutation, as))) expected.push(mutation);
    expect(data.me.context.mutations.toSorted()).toEqual(expected.toSorted());
    expect(expected.includes('createApiKey')).toBe(role === 'admin');
  });

  test('are available for the catalogue without a tenant', async () => {
    const catalogue = `{
      nodes(first: 1) { edges { node { viewerCan { delete test } } } }
      templates(first: 1) { edges { node { viewerCan { instantiate } } } }
    }`;
    const { data, errors } = await api.graphql<Answer>(catalogue, {}, { roles: ['operator'], tenant: null });
    expect(errors).toBeUndefined();
    expect(data.nodes.edges[0]?.node.viewerCan).toEqual({ delete: true, test: true });
  });

  test('of a saved view are those of its owner, and for one that is shared also of an admin', async () => {
    const owner = { sub: 'view-owner', roles: ['user'] };
    const made = await api.graphql<{ createSavedView: { savedView: { id: string } } }>(
      `mutation { createSavedView(input: { list: "runs", name: "Shared", shared: true }) {
        ... on CreateSavedViewPayload { savedView { id } } } }`,
      {},
      owner,
    );
    const { id } = made.data.createSavedView.savedView;
    const viewerCan = async (as: Caller) => {
      const query = 'query ($id: ID!) { node(id: $id) { ... on SavedView { viewerCan { update delete } } } }';
      return (await api.graphql<{ node: { viewerCan: Permissions } }>(query, { id }, as)).data.node.viewerCan;
    };
    expect(await viewerCan(owner)).toEqual({ update: true, delete: true });
    expect(await viewerCan({ sub: 'somebody-else', roles: ['user'] })).toEqual({ update: false, delete: false });
    expect(await viewerCan({ sub: 'somebody-else', roles: ['admin'] })).toEqual({ update: false, delete: true });
  });

  test('exist on every object that a mutation changes', () => {
    // These are only made.
    const exempt = ['Movement', 'Payment', 'Return', 'Shipment', 'Tenant', 'Upload'];
    const changed = rootFields
      .filter(({ name }) => name.startsWith('Mutation.'))
      .flatMap(({ name }) => {
        const payload = schema.getType(`${name.charAt(9).toUpperCase()}${name.slice(10)}Payload`);
        return isObjectType(payload) ? Object.values(payload.getFields()) : [];
      })
      .map(({ type }) => getNamedType(type))
      .filter((type) => isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'Node'));
    const names = [...new Set(changed.map(({ name }) => name))];
    expect(names.length).toBeGreaterThan(30);
    const lacking = names.filter((name) => {
      const type = schema.getType(name);
      return isObjectType(type) && type.getFields()['viewerCan'] === undefined;
    });
    expect(lacking.toSorted()).toEqual(exempt);
  });

  test('name existing mutations', () => {
    const types = Object.keys(schema.getTypeMap()).filter((name) => name.endsWith('Permissions'));
    const mutations = types.flatMap((name) => listMutations(name).map(([, mutation]) => `Mutation.${mutation}`));
    expect(types.length).toBeGreaterThan(5);
    expect(rootFields.map(({ name }) => name)).toEqual(expect.arrayContaining(mutations));
  });
});
