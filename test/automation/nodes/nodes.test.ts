import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import semver from 'semver';
import { describe, expect } from 'vitest';
import { registerNodePackage } from '#src/automation/packages/node-packages.service.ts';
import { packageArchive } from '#test/automation/packages/package-archive.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

const operator = { roles: ['operator'], tenant: null };
const reader = { roles: [], tenant: null };
const versions = ['1.0.0', '1.10.0', '1.2.0', '2.0.0-rc.1', '2.0.0-alpha.10', '2.0.0-alpha.9', '0.9.0', '2.0.0-0'];

let api: TestApp;
test.beforeAll(async ({ api: started }) => {
  api = started;
  // One version of a package brings one version of a slug.
  for (const version of versions) {
    const nodes = [{ name: 'many', version }, ...(version === '1.0.0' ? [{ name: 'another', version }] : [])];
    const archive = packageArchive({ name: 'catalogue', version, namespace: 'cat', nodes });
    await registerNodePackage(api.deps, { orgId: 'acme', archive });
  }
});

interface Page {
  nodes: { totalCount: number; edges: { cursor: string; node: { slug: string; version: string } }[]; pageInfo: object };
}
const page = /* GraphQL */ `
  query ($namespace: String, $first: Int, $last: Int, $after: String, $before: String) {
    nodes(filter: { namespace: $namespace }, first: $first, last: $last, after: $after, before: $before) {
      totalCount
      pageInfo {
        hasNextPage
        hasPreviousPage
        endCursor
      }
      edges {
        cursor
        node {
          slug
          version
        }
      }
    }
  }
`;
const list = async (variables: object) => {
  const { data, errors } = await api.graphql<Page>(page, variables, reader);
  expect(errors).toBeUndefined();
  return data.nodes;
};
interface VersionPage {
  totalCount: number;
  edges: { node: { version: string } }[];
  pageInfo: { hasNextPage: boolean; endCursor: string };
}
const named = ({ edges }: Page['nodes']) => edges.map(({ node }) => `${node.slug} ${node.version}`);
const inOrder = ['cat:another 1.0.0', ...versions.toSorted(semver.rcompare).map((version) => `cat:many ${version}`)];

describe('the node catalogue', () => {
  test('lists by slug, then newest version first, prereleases below their release', async () => {
    expect(named(await list({ namespace: 'cat' }))).toEqual(inOrder);
  });

  test('pages forwards and backwards to the same list, whatever the size', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: inOrder.length + 1 }), fc.boolean(), async (size, backwards) => {
        const seen: string[] = [];
        let cursor: string | undefined;
        for (let turn = 0; turn <= inOrder.length; turn++) {
          const found = await list({
            namespace: 'cat',
            ...(backwards ? { last: size, before: cursor } : { first: size, after: cursor }),
          });
          if (found.edges.length === 0) break;
          if (backwards) seen.unshift(...named(found));
          else seen.push(...named(found));
          cursor = (backwards ? found.edges[0] : found.edges.at(-1))?.cursor;
        }
        expect(seen).toEqual(inOrder);
      }),
      { numRuns: 20 },
    );
  });

  test('counts the nodes of a namespace, and all nodes', async () => {
    expect((await list({ namespace: 'cat', first: 1 })).totalCount).toBe(inOrder.length);
    expect((await list({ first: 1 })).totalCount).toBeGreaterThan(inOrder.length);
    expect(await list({ namespace: 'nobody' })).toMatchObject({ totalCount: 0, edges: [] });
  });

  test('refuses a cursor that it did not issue', async () => {
    for (const after of [
      'x',
      Buffer.from("cat:many@1.0.0'").toString('base64url'),
      Buffer.from('cat:many@1.0').toString('base64url'),
    ]) {
      const { errors } = await api.graphql(page, { after }, reader);
      expect(errors?.[0]?.extensions?.code).toBe('VALIDATION_FAILED');
    }
  });

  test('shows a node by its version or as `latest`, with its package', async () => {
    const query = `query ($slug: String!, $version: String!) {
      nodeDefinition(slug: $slug, version: $version) {
        name namespace slug version package { name version label } manifestVersion manifest createdAt updatedAt
      }
    }`;
    const { data } = await api.graphql(query, { slug: 'cat:many', version: 'latest' }, reader);
    expect(data).toMatchObject({
      nodeDefinition: {
        name: 'many',
        namespace: 'cat',
        slug: 'cat:many',
        version: '2.0.0-rc.1',
        manifestVersion: 'v0-draft',
        package: { name: 'catalogue', version: '2.0.0-rc.1', label: 'catalogue' },
        manifest: { slug: 'cat:many', entry: 'nodes/many-0.ts' },
      },
    });
    const exact = await api.graphql(query, { slug: 'cat:many', version: '1.2.0' }, reader);
    expect(exact.data).toMatchObject({ nodeDefinition: { version: '1.2.0' } });
    const unknown = await api.graphql(query, { slug: 'cat:many', version: '9.9.9' }, reader);
    expect(unknown).toEqual({ data: { nodeDefinition: null } });
  });

  test("returns a node's versions, highest first, and null for an unknown node", async () => {
    const query = `query ($slug: String!, $first: Int, $after: String) {
      nodeVersions(slug: $slug, first: $first, after: $after) {
        totalCount edges { node { version } } pageInfo { hasNextPage endCursor }
      }
    }`;
    const page = async (variables: object) => {
      const { data } = await api.graphql(query, { slug: 'cat:many', ...variables }, reader);
      const { totalCount, edges, pageInfo } = (data as unknown as { nodeVersions: VersionPage }).nodeVersions;
      return { totalCount, versions: edges.map(({ node }) => node.version), ...pageInfo };
    };
    const highestFirst = versions.toSorted(semver.rcompare);
    const first = await page({ first: 2 });
    expect(first).toMatchObject({ totalCount: versions.length, versions: highestFirst.slice(0, 2), hasNextPage: true });
    const rest = await page({ after: first.endCursor });
    expect(rest).toMatchObject({ versions: highestFirst.slice(2), hasNextPage: false });
    expect(await page({ after: rest.endCursor })).toMatchObject({ versions: [] });
    expect((await api.graphql(query, { slug: 'cat:none' }, reader)).data).toEqual({ nodeVersions: null });
  });

  test('needs a token, but no tenant', async () => {
    for (const query of [
      '{ nodes { totalCount } }',
      '{ credentialTypes { totalCount } }',
      '{ nodeVersions(slug: "a:b") { totalCount } }',
    ]) {
      expect((await api.graphql(query, {}, { bearer: null })).errors?.[0]?.extensions?.code).toBe('UNAUTHENTICATED');
      expect((await api.graphql(query, {}, reader)).errors).toBeUndefined();
    }
  });
});

describe('deleting a node', () => {
  const remove = (slug: string, version: string, as: object = operator) =>
    api.graphql<{ deleteNode: object }>(
      `mutation ($input: DeleteNodeInput!) {
        deleteNode(input: $input) { __typename ... on DeleteNodePayload { slug version } ... on Error { code message } }
      }`,
      { input: { slug, version } },
      as,
    );

  test('removes one exact version', async () => {
    expect((await remove('cat:many', '0.9.0')).data.deleteNode).toEqual({
      __typename: 'DeleteNodePayload',
      slug: 'cat:many',
      version: '0.9.0',
    });
    expect(named(await list({ namespace: 'cat' }))).not.toContain('cat:many 0.9.0');
    expect((await remove('cat:many', '0.9.0')).data.deleteNode).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('refuses `latest`, and callers who are not operators', async () => {
    expect((await remove('cat:many', 'latest')).data.deleteNode).toMatchObject({
      code: 'BAD_REQUEST',
      message: 'The `latest` alias is not allowed for mutating requests.',
    });
    expect((await remove('cat:many', '1.0.0', { roles: ['admin'] })).errors?.[0]?.extensions?.code).toBe('FORBIDDEN');
  });
});

describe('published schemas', () => {
  test('are public, individually and as a list', async () => {
    const query =
      'query ($version: String!) { schemas { name version } schema(name: "workflow-blob", version: $version) { schema } }';
    const { data, errors } = await api.graphql(query, { version: 'v1' }, { bearer: null, tenant: null });
    expect(errors).toBeUndefined();
    expect(data).toMatchObject({
      schemas: expect.arrayContaining([{ name: 'node-manifest', version: 'v0-draft' }]),
      schema: { schema: { $schema: 'https://json-schema.org/draft/2020-12/schema' } },
    });
    expect((await api.graphql(query, { version: 'v9' }, { bearer: null })).data).toMatchObject({ schema: null });
  });
});

describe('the typed fields of a manifest', () => {
  const query = `query ($slug: String!) {
    nodeDefinition(slug: $slug, version: "latest") {
      kind description icon images { src } branches branchesFrom
      fields { key type label help required default dynamic pattern credentialTypes options { value label } }
      inputs { name type } outputs { name type required } configSchema
    }
  }`;

  test('are its fields, branches and ports, with defaults filled in', async () => {
    const { data, errors } = await api.graphql(query, { slug: 'core:http-request' }, reader);
    expect(errors).toBeUndefined();
    expect(data).toMatchObject({
      nodeDefinition: {
        kind: 'ACTION',
        icon: null,
        images: [],
        branches: ['default'],
        branchesFrom: null,
        fields: expect.arrayContaining([
          expect.objectContaining({
            key: 'url',
            type: 'URL',
            label: 'URL',
            required: true,
            default: null,
            options: [],
          }),
          expect.objectContaining({ key: 'credential', type: 'CREDENTIALS_REF', required: false }),
          expect.objectContaining({
            key: 'method',
            default: 'GET',
            options: expect.arrayContaining([{ value: 'POST', label: 'POST' }]),
          }),
        ]),
        outputs: expect.arrayContaining([{ name: 'body', type: 'ANY', required: false }]),
      },
    });
    const { data: other } = await api.graphql(query, { slug: 'core:switch' }, reader);
    expect(other).toMatchObject({ nodeDefinition: { kind: 'CONTROL', branchesFrom: 'cases' } });
  });

  test('links to the icon of the package', async () => {
    const icon = '<svg xmlns="http://www.w3.org/2000/svg"/>';
    const archive = packageArchive({
      name: 'pictured',
      namespace: 'pic',
      nodes: [{ name: 'one', version: '1.0.0', manifest: { icon: 'one.svg' } }],
      more: { 'one.svg': icon },
      images: ['one.svg'],
    });
    await registerNodePackage(api.deps, { orgId: 'acme', archive });
    const { data } = await api.graphql<{ nodeDefinition: { icon: string } }>(query, { slug: 'pic:one' }, reader);
    const { pathname, search } = new URL(data.nodeDefinition.icon);
    expect((await api.app.inject({ url: pathname + search })).body).toBe(icon);
  });

  test('includes a schema of configs that accepts the configs that can be saved', async () => {
    const { data } = await api.graphql<{ nodeDefinition: { configSchema: object } }>(
      query,
      { slug: 'core:http-request' },
      reader,
    );
    const fits = new Ajv2020().compile(data.nodeDefinition.configSchema);
    const url = 'https://shop.example';
    expect([
      fits({ url }),
      fits({ url: '{{ trigger.payload.url }}', timeout_ms: '{{ 1 }}', method: null }),
      fits({}),
      fits({ url: '' }),
      fits({ url: 'ftp://shop.example' }),
      fits({ url, method: 'SEND' }),
      fits({ url, timeout_ms: 'soon' }),
    ]).toEqual([true, true, false, false, false, false, false]);
  });
});
