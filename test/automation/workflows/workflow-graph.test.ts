import { expect } from 'vitest';
import { registerNodePackage } from '#src/automation/packages/node-packages.service.ts';
import { packageArchive } from '#test/automation/packages/package-archive.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
let credential: { id: string; databaseId: number };

const config = [
  { key: 'account', type: 'credentials-ref', credential_types: ['core:bearer'] },
  { key: 'cases', type: 'json' },
];

test.beforeAll(async ({ api: started }) => {
  api = started;
  for (const version of ['1.0.0', '1.4.0', '2.0.0']) {
    const manifest = { config, branches: ['sent'], branches_from: 'cases' };
    const nodes = [{ name: 'send', version, manifest }];
    const archive = packageArchive({ name: 'drawn', version, namespace: 'drawn', nodes });
    await registerNodePackage(api.deps, { orgId: 'acme', archive });
  }
  const { data } = await api.graphql<{ createCredential: { credential: typeof credential } }>(
    `mutation {
      createCredential(input: { credentialTypeSlug: "core:bearer", name: "Shop", config: { token: "a-token" } }) {
        ... on CreateCredentialPayload { credential { id databaseId } }
      }
    }`,
  );
  credential = data.createCredential.credential;
});

const blobWith = (...nodes: object[]) => ({ version: 'v1', nodes, edges: [] as object[] });

async function save(name: string, blob: object, tenant = 'acme-shop'): Promise<string> {
  const { data, errors } = await api.graphql<{ createWorkflow: { workflow: { id: string } } }>(
    `mutation ($input: CreateWorkflowInput!) {
      createWorkflow(input: $input) { ... on CreateWorkflowPayload { workflow { id } } ... on Error { message } }
    }`,
    { input: { name, blob } },
    { tenant },
  );
  expect(errors).toBeUndefined();
  return data.createWorkflow.workflow.id;
}

const graph = /* GraphQL */ `
  query ($id: ID!) {
    workflow(id: $id) {
      nodes {
        path
        nodeId
        slug
        version
        definition {
          slug
          version
        }
        config
        credential {
          id
          name
        }
        branches
        position {
          x
          y
        }
        retry {
          limit
          delayMs
          maxDelayMs
          backoff
        }
        timeoutMs
        onError
      }
      edges {
        from
        branch
        triggerHandle
        trigger {
          name
          type
        }
        to
      }
    }
  }
`;

test('a workflow shows its nodes with their definitions and credentials, and nodes in loops by their path', async () => {
  const send = { id: 'send', node: 'drawn:send', version: '^1.0.0', config: { account: credential.databaseId } };
  const body = { nodes: [send, { id: 'log', node: 'core:merge', version: 'latest' }], edges: [] as object[] };
  body.edges.push({ from: { node: 'send', branch: 'sent' }, to: 'log' });
  const each = { id: 'each', node: 'core:for-each', version: '1.0.0', config: { items: [1], body } };
  const last = {
    id: 'last',
    node: 'drawn:send',
    version: 'latest',
    config: { cases: [{ branch: 'late' }] },
    position: { x: 1.5, y: -2 },
    retry: { limit: 3 },
    timeout_ms: 500,
    on_error: 'branch',
  };
  const id = await save('Drawn', blobWith(each, last));
  const { data: made } = await api.graphql<{ createTrigger: { trigger: { handle: string } } }>(
    `mutation ($id: ID!) {
      createTrigger(input: { workflowId: $id, type: MANUAL, name: "By hand" }) {
        ... on CreateTriggerPayload { trigger { handle } }
      }
    }`,
    { id },
  );
  const { handle } = made.createTrigger.trigger;
  const edges = [
    { from: { trigger: handle }, to: 'each' },
    { from: { node: 'each' }, to: 'last' },
  ];
  await api.graphql('mutation ($input: UpdateWorkflowInput!) { updateWorkflow(input: $input) { __typename } }', {
    input: { id, blob: { ...blobWith(each, last), edges } },
  });

  const plain = { credential: null, position: null, retry: null, timeoutMs: null, onError: 'FAIL' };
  const { data, errors } = await api.graphql(graph, { id });
  expect(errors).toBeUndefined();
  expect(data).toMatchObject({
    workflow: {
      nodes: [
        { ...plain, path: 'each', nodeId: 'each', definition: { slug: 'core:for-each', version: '1.0.0' } },
        {
          ...plain,
          path: 'each/send',
          nodeId: 'send',
          slug: 'drawn:send',
          version: '^1.0.0',
          definition: { slug: 'drawn:send', version: '1.4.0' },
          config: { account: credential.databaseId },
          credential: { id: credential.id, name: 'Shop' },
          branches: null,
        },
        { ...plain, path: 'each/log', definition: { slug: 'core:merge', version: '1.0.0' }, branches: ['default'] },
        {
          path: 'last',
          definition: { slug: 'drawn:send', version: '2.0.0' },
          credential: null,
          branches: ['sent', 'error', 'late'],
          position: { x: 1.5, y: -2 },
          retry: { limit: 3, delayMs: 1000, maxDelayMs: 300_000, backoff: 'EXPONENTIAL' },
          timeoutMs: 500,
          onError: 'BRANCH',
        },
      ],
      edges: [
        { from: null, branch: null, triggerHandle: handle, trigger: { name: 'By hand', type: 'MANUAL' }, to: 'each' },
        { from: 'each', branch: 'default', triggerHandle: null, trigger: null, to: 'last' },
        { from: 'each/send', branch: 'sent', trigger: null, to: 'each/log' },
      ],
    },
  });
});

test('a workflow that names the credential of another tenant shows none', async () => {
  const send = { id: 'send', node: 'drawn:send', version: '1.0.0', config: { account: credential.databaseId } };
  const id = await save('Curious', blobWith(send), 'acme-outlet');
  const { data, errors } = await api.graphql(graph, { id }, { tenant: 'acme-outlet' });
  expect(errors).toBeUndefined();
  expect(data).toMatchObject({
    workflow: { nodes: [{ path: 'send', config: { account: credential.databaseId }, credential: null }] },
  });
  expect((await api.graphql(graph, { id })).data).toEqual({ workflow: null });
});

test('the nodes of a list of workflows take one query of each kind', async () => {
  const send = (id: string) => ({ id, node: 'drawn:send', version: '1.x', config: { account: credential.databaseId } });
  for (const name of ['One', 'Two', 'Three']) await save(name, blobWith(send('a'), send('b'), send('c')));
  const { global } = api.database;
  const { findMany } = global.node;
  let reads = 0;
  Object.assign(global.node, {
    findMany: (...args: Parameters<typeof findMany>) => {
      reads += 1;
      return Reflect.apply<typeof global.node, typeof args, ReturnType<typeof findMany>>(findMany, global.node, args);
    },
  });
  const { errors } = await api.graphql('{ workflows { edges { node { nodes { definition { version icon } } } } } }');
  Object.assign(global.node, { findMany });
  expect(errors).toBeUndefined();
  // The versions that there are, and the definitions that were selected.
  expect(reads).toBe(2);
});

test('a list answers 5,000 nodes and edges of its workflows, and refuses more', async () => {
  const ids = Array.from({ length: 500 }, (_, number) => `n${number}`);
  const nodes = ids.map((id) => ({ id, node: 'core:merge', version: '1.0.0', config: {} }));
  const edges = ids.slice(1).map((to, before) => ({ from: { node: `n${before}` }, to }));
  for (let number = 0; number < 11; number += 1) await save(`Large ${number}`, { version: 'v1', nodes, edges });
  const list = (first: number, parts: string) =>
    api.graphql(`{ workflows(first: ${first}, filter: { search: "Large" }) { edges { node { ${parts} } } } }`);
  for (const parts of ['nodes { path }', 'edges { to }']) {
    expect((await list(10, parts)).errors).toBeUndefined();
    expect((await list(11, parts)).errors).toMatchObject([
      { extensions: { code: 'VALIDATION_FAILED', fields: { first: [expect.stringContaining('ask for fewer')] } } },
    ]);
  }
});
