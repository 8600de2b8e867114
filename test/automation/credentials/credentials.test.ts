import { describe, expect } from 'vitest';
import { credentialsPerTenant } from '#src/automation/credentials/credentials.service.ts';
import { readCredential, sealGrant } from '#src/automation/credentials/credentials.store.ts';
import { registerNodePackage } from '#src/automation/packages/node-packages.service.ts';
import { packageFiles, rawArchive } from '#test/automation/packages/archive/raw-tar.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { node } from '#test/setup/engine.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

const tenantId = 'acme-shop';
const canary = 'canary-token-4711';

interface Use {
  workflowId: number;
  workflowName: string;
  nodeId: string;
  field: string;
}
interface Shown {
  id: string;
  databaseId: number;
  status: string;
  publicConfig: object;
  usedBy: Use[];
  lastTestMessage: string | null;
}

const shown = 'id databaseId status publicConfig lastTestMessage usedBy { workflowId workflowName nodeId field }';
const failure = '... on Error { code message } ... on ValidationError { fields { path messages } }';

let counter = 0;
async function make(input: object = {}): Promise<Shown> {
  counter += 1;
  const { data, errors } = await api.graphql<{ createCredential: { credential: Shown } }>(
    `mutation ($input: CreateCredentialInput!) {
      createCredential(input: $input) { ... on CreateCredentialPayload { credential { ${shown} } } ${failure} }
    }`,
    { input: { credentialTypeSlug: 'core:bearer', name: `C ${counter}`, config: { token: canary }, ...input } },
  );
  expect(errors).toBeUndefined();
  return data.createCredential.credential;
}

async function change(id: string, input: object): Promise<Shown> {
  const { data, errors } = await api.graphql<{ updateCredential: { credential: Shown } }>(
    `mutation ($input: UpdateCredentialInput!) {
      updateCredential(input: $input) { ... on UpdateCredentialPayload { credential { ${shown} } } ${failure} }
    }`,
    { input: { id, ...input } },
  );
  expect(errors).toBeUndefined();
  return data.updateCredential.credential;
}

async function show(id: string): Promise<Shown | null> {
  const document = `query ($id: ID!) { credential(id: $id) { ${shown} } }`;
  return (await api.graphql<{ credential: Shown | null }>(document, { id })).data.credential;
}

const request = (id: string, credential: unknown) => node(id, 'http-request', { url: 'https://x.example', credential });

async function workflow(name: string, nodes: object[]): Promise<number> {
  const { data } = await api.graphql<{ createWorkflow: { workflow: { databaseId: number } } }>(
    `mutation ($input: CreateWorkflowInput!) {
      createWorkflow(input: $input) { ... on CreateWorkflowPayload { workflow { databaseId } } ${failure} }
    }`,
    { input: { name, blob: { version: 'v1', nodes, edges: [] } } },
  );
  return data.createWorkflow.workflow.databaseId;
}

test('a credential names its type, with the fields of its form', async () => {
  await make({ credentialTypeSlug: 'core:api-key', config: { header: 'X-Key', value: 'a-key' } });
  const { data } = await api.graphql<{
    credentials: {
      edges: { node: { credentialTypeSlug: string; type: { slug: string; fields: { key: string }[] } } }[];
    };
  }>('{ credentials(first: 100) { edges { node { credentialTypeSlug type { slug fields } } } } }');
  const nodes = data.credentials.edges.map(({ node: shownNode }) => shownNode);
  for (const { type, credentialTypeSlug } of nodes) expect(type.slug).toBe(credentialTypeSlug);
  const apiKey = nodes.find(({ credentialTypeSlug }) => credentialTypeSlug === 'core:api-key');
  expect(apiKey?.type.fields.map(({ key }) => key)).toEqual(['header', 'value', 'base_url', 'test_url']);
});

describe('the use of a credential', () => {
  test('is updated with every change of a workflow, including its loops', async () => {
    const one = await make();
    const two = await make();
    const body = { nodes: [request('inner', one.databaseId)], edges: [] };
    const loop = node('each', 'for-each', { items: [], body });
    const id = await workflow('Orders', [request('send', String(one.databaseId)), loop]);
    const use = { workflowId: id, workflowName: 'Orders', field: 'credential' };
    expect((await show(one.id))?.usedBy).toEqual([
      { ...use, nodeId: 'each/inner' },
      { ...use, nodeId: 'send' },
    ]);
    const { data: edges } = await api.graphql(
      `query ($credential: ID!, $workflow: ID!) {
        credential(id: $credential) { usedBy { workflow { name databaseId } } }
        workflow(id: $workflow) { credentials { nodeId credential { id name } } }
      }`,
      { credential: one.id, workflow: id },
    );
    const found = { workflow: { name: 'Orders', databaseId: id } };
    const named = { credential: { id: one.id, name: expect.any(String) } };
    expect(edges).toEqual({
      credential: { usedBy: [found, found] },
      workflow: {
        credentials: expect.arrayContaining([
          { nodeId: 'send', ...named },
          { nodeId: 'each/inner', ...named },
        ]),
      },
    });
    await api.graphql('mutation ($input: UpdateWorkflowInput!) { updateWorkflow(input: $input) { __typename } }', {
      input: { id, blob: { version: 'v1', nodes: [request('send', two.databaseId)], edges: [] } },
    });
    expect((await show(one.id))?.usedBy).toEqual([]);
    expect((await show(two.id))?.usedBy).toEqual([{ ...use, nodeId: 'send' }]);
    await api.graphql('mutation ($id: ID!) { deleteWorkflow(input: { id: $id }) { __typename } }', { id });
    expect((await show(two.id))?.usedBy).toEqual([]);
  });

  test('is listed for many credentials together, and values that are not ids are skipped', async () => {
    const made = await Promise.all([make(), make(), make()]);
    const nodes = made.map(({ databaseId }, index) => request(`n${index}`, databaseId));
    const odd = ['{{ trigger.payload.id }}', '9999999999999999999', null, '', 1.5].map((value, index) =>
      request(`odd${index}`, value),
    );
    const id = await workflow('Many', [...nodes, ...odd]);
    const { data } = await api.graphql<{ credentials: { edges: { node: Shown }[] } }>(
      `{ credentials { edges { node { ${shown} } } } }`,
    );
    const listed = data.credentials.edges
      .map(({ node }) => node)
      .filter((each) => made.some((one) => one.id === each.id));
    expect(listed.map(({ usedBy }) => usedBy.map(({ workflowId, nodeId }) => [workflowId, nodeId]))).toEqual([
      [[id, 'n0']],
      [[id, 'n1']],
      [[id, 'n2']],
    ]);
  });

  test('is reported when a credential is deleted', async () => {
    const { id, databaseId } = await make();
    const workflowId = await workflow('Still names it', [request('send', databaseId)]);
    const { data } = await api.graphql(
      `mutation ($id: ID!) {
        deleteCredential(input: { id: $id }) { ... on DeleteCredentialPayload { deletedId usedBy { workflowId nodeId } } ${failure} }
      }`,
      { id },
    );
    expect(data).toEqual({ deleteCredential: { deletedId: id, usedBy: [{ workflowId, nodeId: 'send' }] } });
    expect(await show(id)).toBeNull();
  });
});

describe('a credential of a 3-legged type', () => {
  const config = {
    authorize_url: 'https://id.example.com/a',
    token_url: 'https://id.example.com/t',
    client_id: 'c',
    client_secret: canary,
  };

  async function connected(): Promise<Shown> {
    const made = await make({ credentialTypeSlug: 'core:oauth2', config });
    const id = BigInt(made.databaseId);
    await api.database.withTenant(tenantId, async (tx) => {
      const grant = await sealGrant(api.deps, tx, { tenantId, id }, { access_token: 'granted' });
      await tx.credential.update({
        where: { tenantId_id: { tenantId, id } },
        data: { ...grant, status: 'active', grantVersion: 1, refreshAt: new Date() },
      });
    });
    return made;
  }

  test('loses its grant only if its client or server changes', async () => {
    const { id, databaseId } = await connected();
    const { client_secret: _kept, ...seen } = config;
    for (const more of [{ scopes: 'orders' }, { client_secret: 'renewed-secret' }, { test_url: 'https://x.example' }]) {
      expect((await change(id, { config: { ...seen, ...more } })).status).toBe('ACTIVE');
    }
    expect((await change(id, { config: { ...seen, token_url: 'https://evil.example.com/t' } })).status).toBe('PENDING');
    expect(await readCredential(api.deps, tenantId, BigInt(databaseId))).toMatchObject({
      grant: null,
      grantVersion: 2,
      refreshAt: null,
      config: { client_secret: 'renewed-secret' },
    });
  });
});

test('a field that a later version of the type makes secret is hidden', async () => {
  const archive = (version: string, type: string) =>
    rawArchive(
      ...packageFiles({
        'package.json': JSON.stringify({ name: 'turning', version, causeway: 'causeway.json' }),
        'causeway.json': JSON.stringify({ namespace: 'turn', label: 'x', credential_types: ['t.json'] }),
        't.json': JSON.stringify({
          slug: 'turn:api',
          version,
          name: 'T',
          auth_kind: 'secret',
          fields: [
            { key: 'user', type: 'string' },
            { key: 'pin', type },
          ],
        }),
      }),
    );
  await registerNodePackage(api.deps, { orgId: 'acme', archive: archive('1.0.0', 'string') });
  const { id, publicConfig } = await make({ credentialTypeSlug: 'turn:api', config: { user: 'u', pin: canary } });
  expect(publicConfig).toEqual({ user: 'u', pin: canary });
  await registerNodePackage(api.deps, { orgId: 'acme', archive: archive('1.1.0', 'secret') });
  expect((await show(id))?.publicConfig).toEqual({ user: 'u' });
});

test('concurrent creations never exceed the limit', async () => {
  const other = 'acme-outlet';
  await api.database.withTenant(other, (tx) =>
    tx.credential.createMany({
      data: Array.from({ length: credentialsPerTenant - 1 }, (_, index) => ({
        tenantId: other,
        name: `Full ${index}`,
        credentialTypeSlug: 'core:bearer',
        publicConfig: {},
        config: new Uint8Array([1]),
        configKeyVersion: 1,
      })),
    }),
  );
  const answers = await Promise.all(
    Array.from({ length: 5 }, (_, index) =>
      api.graphql<{ createCredential: { __typename: string } }>(
        'mutation ($input: CreateCredentialInput!) { createCredential(input: $input) { __typename } }',
        { input: { credentialTypeSlug: 'core:bearer', name: `Last ${index}`, config: { token: canary } } },
        { tenant: other },
      ),
    ),
  );
  const types = answers.map(({ data }) => data.createCredential.__typename).toSorted();
  expect(types).toEqual(['CreateCredentialPayload', ...Array.from({ length: 4 }, () => 'RequestError')]);
});

test('a test redacts a secret that the tested code repeats in its message', async () => {
  const code = `export const test = ({ config, log }) => {
    log.info(config.token);
    if (config.mode === 'throw') throw new Error('Refused ' + config.token + ' and ' + config.pin);
    return { ok: false, message: 'x'.repeat(490) + config.token + ' pin ' + config.pin };
  };`;
  const archive = rawArchive(
    ...packageFiles({
      'package.json': JSON.stringify({ name: 'leaky', version: '1.0.0', causeway: 'causeway.json' }),
      'causeway.json': JSON.stringify({ namespace: 'leaky', label: 'x', credential_types: ['t.json'] }),
      't.json': JSON.stringify({
        slug: 'leaky:api',
        version: '1.0.0',
        name: 'Leaky',
        auth_kind: 'secret',
        entry: 't.ts',
        fields: [
          { key: 'token', type: 'secret' },
          { key: 'pin', type: 'secret' },
          { key: 'mode', type: 'string' },
        ],
      }),
      't.ts': code,
    }),
  );
  await registerNodePackage(api.deps, { orgId: 'acme', archive });
  for (const mode of ['answer', 'throw']) {
    const config = { token: canary, pin: '847', mode };
    const { id } = await make({ credentialTypeSlug: 'leaky:api', config });
    const { data } = await api.graphql<{ testCredential: { ok: boolean; message: string } }>(
      'mutation ($id: ID!) { testCredential(input: { id: $id }) { ... on TestCredentialPayload { ok message } } }',
      { id },
    );
    expect(data.testCredential.ok).toBe(false);
    expect(data.testCredential.message.length).toBeLessThanOrEqual(500);
    const all = JSON.stringify([data, await show(id)]);
    expect(all).not.toContain('canary');
    expect(all).not.toContain('847');
    expect((await show(id))?.lastTestMessage).toBe(data.testCredential.message);
  }
  expect(api.logLines.join('')).not.toContain(canary);
});
