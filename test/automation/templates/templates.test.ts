import { describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { byPath, type FieldErrorList } from '#test/setup/field-errors.ts';
import { makeCredential, registerTemplates, templateIn } from './templates.ts';

let api: TestApp;
let token: number;
test.beforeAll(async ({ api: started }) => {
  api = started;
  await registerTemplates(api, templateIn('1.9.0'), templateIn('1.10.0'), templateIn('1.10.0-rc.1'));
  token = await makeCredential(api, 'acme-shop', 'core:bearer');
});

const instantiate = /* GraphQL */ `
  mutation ($input: InstantiateTemplateInput!) {
    instantiateTemplate(input: $input) {
      __typename
      ... on InstantiateTemplatePayload {
        workflow {
          databaseId
          name
          description
          revision
          blob
          bundle {
            status
          }
          revisions {
            edges {
              node {
                note
                createdBy
              }
            }
          }
        }
      }
      ... on ValidationError {
        fields {
          path
          messages
        }
      }
      ... on NotFoundError {
        code
      }
    }
  }
`;
interface Instantiated {
  instantiateTemplate: { __typename: string; fields: FieldErrorList; workflow: { databaseId: number } };
}
let counter = 0;
const input = (more: object = {}) => ({
  slug: 'shop:to-erp',
  name: `From a template ${(counter += 1)}`,
  credentials: { token },
  values: { url: 'https://erp.example.com' },
  ...more,
});
const install = async (more: object = {}, as = {}) =>
  (await api.graphql<Instantiated>(instantiate, { input: input(more) }, as)).data.instantiateTemplate;
const countWorkflows = async () => {
  const { rows } = await api.database.system.query<{ count: number }>('SELECT count(*)::int FROM workflows');
  return rows[0]?.count;
};

describe('templates', () => {
  test('are shown to anyone with a token, even without a tenant, in their latest version only', async () => {
    const fields = 'slug version name package { name version label } placeholders { key kind label required default }';
    const { data, errors } = await api.graphql<{
      templates: { edges: { node: { slug: string } }[] };
      template: object;
    }>(
      `{ templates { edges { node { ${fields} } } } template(slug: "shop:to-erp") { ${fields} blob } }`,
      {},
      { tenant: null, roles: [] },
    );
    expect(errors).toBeUndefined();
    const listed = data.templates.edges.map(({ node }) => node).filter(({ slug }) => slug.startsWith('shop:'));
    expect(listed).toEqual([
      {
        slug: 'shop:to-erp',
        version: '1.10.0',
        name: 'To the ERP 1.10.0',
        package: { name: 'shop', version: '1.0.1', label: 'Shop' },
        placeholders: [
          { key: 'url', kind: 'VALUE', label: 'Address', required: true, default: null },
          { key: 'limit', kind: 'VALUE', label: 'limit', required: false, default: 5 },
          { key: 'token', kind: 'CREDENTIAL', label: 'token', required: true, default: null },
          { key: 'spare', kind: 'CREDENTIAL', label: 'spare', required: false, default: null },
        ],
      },
    ]);
    expect(data.template).toEqual({ ...listed[0], blob: templateIn('1.10.0').blob });
  });

  test('show their images with links that need no token', async () => {
    const { data } = await api.graphql<{ template: { icon: string; images: { src: string }[] } }>(
      '{ template(slug: "shop:to-erp") { icon images { src category } } }',
    );
    for (const link of [data.template.icon, data.template.images[0]?.src ?? '']) {
      const { pathname, search } = new URL(link);
      const answer = await api.app.inject({ url: pathname + search });
      expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'image/svg+xml']);
    }
  });
});

describe('a template made into a workflow', () => {
  test('is filled, built, and names its origin', async () => {
    const { workflow } = await install({ name: 'Orders on' });
    expect(workflow).toMatchObject({
      name: 'Orders on',
      description: 'Sends orders on.',
      revision: 1,
      bundle: { status: 'BUILDING' },
      blob: {
        nodes: [{ id: 'send', config: { url: 'https://erp.example.com', query: { limit: 5 }, credential: token } }],
      },
      revisions: {
        edges: [{ node: { note: 'From the template shop:to-erp 1.10.0.', createdBy: 'admin@example.com' } }],
      },
    });
    const { rows } = await api.database.system.query(
      `SELECT action, actor_sub, metadata FROM audit_entries WHERE resource_type = 'workflow' AND resource_id = $1`,
      [String(workflow.databaseId)],
    );
    expect(rows).toEqual([
      {
        action: 'create',
        actor_sub: 'test-admin',
        metadata: { name: 'Orders on', template: 'shop:to-erp 1.10.0' },
      },
    ]);
  });

  test('also accepts a credential by its global id', async () => {
    const id = Buffer.from(`Credential:${token}`).toString('base64');
    expect(await install({ credentials: { token: id } })).toMatchObject({
      workflow: { blob: { nodes: [{ config: { credential: token } }] } },
    });
  });

  test('reports all missing and invalid values at once, and creates nothing', async () => {
    const before = await countWorkflows();
    const basic = await makeCredential(api, 'acme-shop', 'core:basic');
    const elsewhere = await makeCredential(api, 'acme-outlet', 'core:bearer');
    const message = (credentials: object, key: string) =>
      install({ credentials }).then(({ fields }) => byPath(fields)[`credentials.${key}`]);
    expect(byPath((await install({ credentials: null, values: { limit: 1 } })).fields)).toEqual({
      'values.url': ['This placeholder must be filled.'],
      'credentials.token': ['This placeholder must be filled.'],
    });
    expect(byPath((await install({ credentials: { token, spare: token }, values: { url: null } })).fields)).toEqual({
      'values.url': ['This placeholder must be filled.'],
      'credentials.spare': ['Name a credential of the type core:basic.'],
    });
    expect(
      byPath(
        (await install({ credentials: { token, tokn: token }, values: { url: 'https://a.example', ulr: 1 } })).fields,
      ),
    ).toEqual({
      'credentials.tokn': ['The template has no such placeholder.'],
      'values.ulr': ['The template has no such placeholder.'],
    });
    const unknown = await message({ token: 999_999 }, 'token');
    expect(unknown).toEqual(['Name a credential of the type core:bearer or core:basic.']);
    for (const id of [elsewhere, 'nonsense', '', -1, 2 ** 52, Buffer.from(`Workflow:${token}`).toString('base64')]) {
      expect(await message({ token: id }, 'token')).toEqual(unknown);
    }
    expect(await countWorkflows()).toBe(before);
    expect(await install({ credentials: { token: basic } })).toMatchObject({ workflow: { revision: 1 } });
  });

  test('needs a free name, an existing template and an admin', async () => {
    await install({ name: 'Taken' });
    expect(await install({ name: 'Taken' })).toMatchObject({
      fields: [{ path: 'name', messages: [expect.any(String)] }],
    });
    expect(await install({ slug: 'shop:nothing' })).toMatchObject({ __typename: 'NotFoundError' });
    const { errors } = await api.graphql(instantiate, { input: input() }, { roles: ['user'] });
    expect(errors?.[0]?.extensions?.code).toBe('FORBIDDEN');
  });

  test('is refused if a value breaks the blob, or one of its nodes was deleted', async () => {
    const deep = Array.from({ length: 70 }).reduce<unknown>((inner) => [inner], 1);
    const refused = await install({ values: { url: deep } });
    expect(byPath(refused.fields)).toEqual({ 'blob.nodes.0.config': [expect.stringContaining('64 levels')] });
    await api.database.global.node.deleteMany({ where: { slug: 'core:http-request' } });
    expect(byPath((await install()).fields)).toEqual({
      'blob.nodes.0.node': [expect.stringContaining('core:http-request')],
    });
  });
});
