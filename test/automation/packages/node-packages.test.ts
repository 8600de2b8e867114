import { fileURLToPath } from 'node:url';
import { packNodePackage } from '@causeway/node-kit/pack';
import { describe, expect } from 'vitest';
import { deleteNode } from '#src/automation/nodes/nodes.service.ts';
import { registerBuiltinPackages } from '#src/automation/packages/builtin-packages.service.ts';
import { registerNodePackage } from '#src/automation/packages/node-packages.service.ts';
import { AppError, ConflictError, NotFoundError } from '#src/infra/errors.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { packageFiles, rawArchive } from './archive/raw-tar.ts';
import { packageArchive } from './package-archive.ts';

const erpFolder = fileURLToPath(new URL('../../../examples/erp-nodes/', import.meta.url));
const operator = { roles: ['operator'], tenant: null };

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

const register = (archive: Uint8Array, orgId = 'acme') => registerNodePackage(api.deps, { orgId, archive });

/** Counts of all that a registration writes. */
const counts = async () => {
  const { nodePackage, node, credentialType, workflowTemplate, packageImage, nodeCode } = api.database.global;
  return Promise.all(
    [nodePackage, node, credentialType, workflowTemplate, packageImage, nodeCode].map((table) =>
      (table as typeof node).count(),
    ),
  );
};

const upload = /* GraphQL */ `
  mutation ($input: UploadNodePackageInput!) {
    uploadNodePackage(input: $input) {
      __typename
      ... on UploadNodePackagePayload {
        created
        nodePackage {
          name
          version
          label
          nodes {
            slug
            version
            name
          }
          credentialTypes {
            slug
          }
          templates {
            slug
          }
          images {
            path
            contentType
            size
          }
          build {
            status
            errors {
              slug
              message
            }
          }
        }
      }
      ... on Error {
        code
        message
      }
      ... on ValidationError {
        fields {
          path
          messages
        }
      }
    }
  }
`;
const uploadAs = async (archive: Uint8Array, orgId: string, as: object) => {
  const input = { orgId, archive: Buffer.from(archive).toString('base64') };
  return api.graphql<{ uploadNodePackage: Record<string, unknown> }>(upload, { input }, as);
};

describe('registering a node package', () => {
  test('accepts the example package, and returns the same for the same bytes', async () => {
    const archive = await packNodePackage(erpFolder);
    const first = await uploadAs(archive, 'acme', operator);
    expect(first).toMatchObject({
      data: {
        uploadNodePackage: {
          created: true,
          nodePackage: {
            name: '@causeway-examples/erp-nodes',
            version: '1.1.0',
            label: 'ERP',
            nodes: [{ slug: 'erp:create-order', version: '1.0.0' }, { slug: 'erp:get-stock' }],
            credentialTypes: [{ slug: 'erp:api' }],
            templates: [{ slug: 'erp:order-to-erp' }],
            images: [{ path: 'images/erp.svg', contentType: 'image/svg+xml' }],
            build: { status: 'READY', errors: [] },
          },
        },
      },
    });
    const before = await counts();
    const again = await uploadAs(archive, 'acme', operator);
    expect(again.data.uploadNodePackage).toEqual({ ...first.data.uploadNodePackage, created: false });
    expect(await counts()).toEqual(before);
  });

  test('restores its nodes that were deleted since, and leaves the others unchanged', async () => {
    const nodes = ['a', 'b', 'c'].map((name) => ({ name, version: '1.0.0' }));
    const archive = packageArchive({ name: 'restored', namespace: 'restored', nodes });
    const first = await register(archive);
    const { node } = api.database.global;
    const rows = () => node.findMany({ where: { namespace: 'restored' }, orderBy: { slug: 'asc' } });
    const before = await rows();
    for (const slug of ['restored:a', 'restored:c']) {
      await api.graphql(
        'mutation ($input: DeleteNodeInput!) { deleteNode(input: $input) { __typename } }',
        {
          input: { slug, version: '1.0.0' },
        },
        operator,
      );
    }
    expect((await rows()).map(({ slug }) => slug)).toEqual(['restored:b']);
    const answers = await Promise.all([register(archive), register(archive), register(archive)]);
    for (const answer of answers) expect(answer).toEqual({ ...first, created: false });
    const after = await rows();
    const content = (of: typeof after) =>
      of.map(({ slug, version, manifest, codeHash }) => [slug, version, manifest, codeHash]);
    expect(content(after)).toEqual(content(before));
    expect(after[1]).toEqual(before[1]);
    expect(before.every(({ codeHash }) => codeHash !== null)).toBe(true);
  });

  test("keeps a node that has taken a deleted node's version since", async () => {
    const a = { name: 'a', version: '1.0.0' };
    const archive = packageArchive({ name: 'replaced', namespace: 'replaced', nodes: [a] });
    await register(archive);
    const where = { slug_version: { slug: 'replaced:a', version: '1.0.0' } };
    await api.database.global.node.delete({ where });
    const changed = { ...a, code: 'export const execute = () => ({ changed: true });' };
    await register(packageArchive({ name: 'replaced', version: '1.1.0', namespace: 'replaced', nodes: [changed] }));
    const present = await api.database.global.node.findUnique({ where });
    expect(await register(archive)).toMatchObject({ created: false, build: { status: 'ready' } });
    expect(await api.database.global.node.findUnique({ where })).toEqual(present);
  });

  test('is for operators only, whatever their tenant', async () => {
    const archive = packageArchive({ name: 'nobody', namespace: 'nobody', nodes: [{ name: 'a', version: '1.0.0' }] });
    for (const [as, code] of [
      [{ roles: ['admin'] }, 'FORBIDDEN'],
      [{ bearer: null }, 'UNAUTHENTICATED'],
    ] as const) {
      expect((await uploadAs(archive, 'acme', as)).errors?.[0]?.extensions?.code).toBe(code);
    }
    const unknown = await uploadAs(archive, 'no-such-org', operator);
    expect(unknown.data.uploadNodePackage).toMatchObject({ __typename: 'NotFoundError' });
  });

  test('registers a package once, however often it is uploaded concurrently', async () => {
    const archive = packageArchive({ name: 'rush', namespace: 'rush', nodes: [{ name: 'a', version: '1.0.0' }] });
    const answers = await Promise.all(Array.from({ length: 10 }, () => register(archive)));
    expect(answers.filter(({ created }) => created)).toHaveLength(1);
    for (const answer of answers) expect({ ...answer, created: null }).toEqual({ ...answers[0], created: null });
    expect(await api.database.global.node.count({ where: { slug: 'rush:a' } })).toBe(1);
  });

  test('refuses other bytes under the same version with a conflict, and changes nothing', async () => {
    const nodes = [{ name: 'a', version: '1.0.0' }];
    await register(packageArchive({ name: 'fixed', namespace: 'fixed', nodes }));
    const before = await counts();
    const other = packageArchive({ name: 'fixed', namespace: 'fixed', nodes, more: { 'README.md': 'other' } });
    await expect(register(other)).rejects.toThrow(ConflictError);
    expect(await counts()).toEqual(before);
  });

  test("lets a package's next version repeat a node's version only if it is unchanged", async () => {
    const a = { name: 'a', version: '1.0.0' };
    await register(packageArchive({ name: 'next', namespace: 'next', nodes: [a] }));
    const more = { ...a, name: 'b' };
    const second = await register(
      packageArchive({ name: 'next', version: '1.1.0', namespace: 'next', nodes: [a, more] }),
    );
    expect(second.created).toBe(true);
    const changed = { ...a, code: 'export const execute = () => ({ changed: true });' };
    await expect(
      register(packageArchive({ name: 'next', version: '1.2.0', namespace: 'next', nodes: [changed] })),
    ).rejects.toThrow('next:a 1.0.0 is registered already with other content');
    const thief = packageArchive({ name: 'thief', namespace: 'next', nodes: [a] });
    await expect(register(thief)).rejects.toThrow('next:a belongs to the package next');
    expect(await api.database.global.nodePackage.count({ where: { name: { in: ['next', 'thief'] } } })).toBe(2);
  });

  test('reserves a slug for the package that published it first, even after its nodes are deleted', async () => {
    const probe = { name: 'probe', version: '1.0.0' };
    await register(packageArchive({ name: 'probes', namespace: 'acc', nodes: [probe] }));
    const higher = { ...probe, version: '9.0.0' };
    const thief = packageArchive({ name: 'thief', namespace: 'acc', nodes: [higher] });
    await expect(register(thief)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'acc:probe belongs to the package probes. Publish it in that package, or choose another slug.',
    });
    const latest = `{ nodeDefinition(slug: "acc:probe", version: "latest") { version package { name } } }`;
    expect((await api.graphql<object>(latest)).data).toEqual({
      nodeDefinition: { version: '1.0.0', package: { name: 'probes' } },
    });
    await deleteNode(api.deps, 'acc:probe', '1.0.0');
    await expect(register(thief)).rejects.toThrow('acc:probe belongs to the package probes');
    const guest = packageArchive({ name: 'guest', namespace: 'acc', nodes: [{ name: 'other', version: '1.0.0' }] });
    await expect(register(guest, 'other')).rejects.toThrow('The namespace acc belongs to another organisation');
    expect(
      await register(packageArchive({ name: 'probes', version: '1.1.0', namespace: 'acc', nodes: [higher] })),
    ).toMatchObject({ created: true });
  });

  test('reserves names and namespaces for the organisation that registered them first', async () => {
    const nodes = [{ name: 'a', version: '1.0.0' }];
    await register(packageArchive({ name: 'owned', namespace: 'owned', nodes }));
    const sameName = packageArchive({ name: 'owned', version: '2.0.0', namespace: 'elsewhere', nodes });
    const sameSpace = packageArchive({ name: 'guest', namespace: 'owned', nodes: [{ name: 'b', version: '1.0.0' }] });
    const posingAsCore = packageArchive({ name: 'core', version: '9.0.0', namespace: 'mine', nodes });
    for (const archive of [sameName, sameSpace])
      await expect(register(archive, 'other')).rejects.toThrow(ConflictError);
    await expect(register(posingAsCore)).rejects.toThrow('belongs to another organisation');
    const inReserved = packageArchive({ name: 'sly', namespace: 'core', nodes });
    await expect(register(inReserved)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  });

  test('registers a node whose code does not bundle, without code, and says why', async () => {
    const answer = await register(
      packageArchive({
        name: 'broken',
        namespace: 'broken',
        nodes: [
          { name: 'good', version: '1.0.0' },
          {
            name: 'bad',
            version: '1.0.0',
            code: "import { readFileSync } from 'node:fs';\nexport const execute = readFileSync;",
          },
        ],
      }),
    );
    expect(answer.build).toMatchObject({ status: 'failed', errors: [{ slug: 'broken:bad', line: 1 }] });
    const rows = await api.database.global.node.findMany({ where: { namespace: 'broken' }, orderBy: { slug: 'asc' } });
    expect(rows.map(({ slug, codeHash }) => [slug, codeHash === null])).toEqual([
      ['broken:bad', true],
      ['broken:good', false],
    ]);
  });

  test.each([
    ['not an archive', Buffer.from('hello'), 'UNPROCESSABLE'],
    ['a path out of the package', rawArchive({ path: 'package/../../etc/passwd', body: 'x' }), 'UNPROCESSABLE'],
    ['a link', rawArchive({ path: 'package/a', type: '2', linkpath: '/etc/passwd' }), 'UNPROCESSABLE'],
    ['no package.json', rawArchive(...packageFiles({ 'a.txt': 'a' })), 'VALIDATION_FAILED'],
    ['a bomb', rawArchive(...packageFiles({ 'a.txt': Buffer.alloc(15 * 1024 * 1024) })), 'UNPROCESSABLE'],
    [
      'text that cannot be stored',
      packageArchive({
        name: 'nul',
        namespace: 'nul',
        nodes: [{ name: 'a', version: '1.0.0', manifest: { description: 'a\0b' } }],
      }),
      'VALIDATION_FAILED',
    ],
  ])('refuses %s with the reason, and writes nothing', async (_what, archive, code) => {
    const before = await counts();
    const refused = await register(archive).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(AppError);
    expect((refused as AppError).code).toBe(code);
    expect(await counts()).toEqual(before);
  });

  test('accepts a stream, and stops reading one that is too large', async () => {
    const archive = packageArchive({
      name: 'streamed',
      namespace: 'streamed',
      nodes: [{ name: 'a', version: '1.0.0' }],
    });
    async function* inPieces() {
      for (let at = 0; at < archive.length; at += 100) yield archive.subarray(at, at + 100);
    }
    expect(await registerNodePackage(api.deps, { orgId: 'acme', archive: inPieces() })).toMatchObject({
      created: true,
    });
    let pulled = 0;
    async function* endless() {
      for (;;) {
        pulled += 1;
        yield Buffer.alloc(1024 * 1024);
      }
    }
    await expect(registerNodePackage(api.deps, { orgId: 'acme', archive: endless() })).rejects.toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
    });
    expect(pulled).toBeLessThan(40);
  });

  test('refuses an unknown organisation before it reads the archive', async () => {
    await expect(register(Buffer.from('x'), 'nobody')).rejects.toThrow(NotFoundError);
  });
});

describe('package core', () => {
  test('is registered at the start, and again without changes', async () => {
    const rows = () => api.database.global.node.findMany({ where: { namespace: 'core' }, orderBy: { slug: 'asc' } });
    const before = await rows();
    expect(before.map(({ slug }) => slug)).toContain('core:http-request');
    await Promise.all([registerBuiltinPackages(api.deps), registerBuiltinPackages(api.deps)]);
    expect(await rows()).toEqual(before);
  });

  test('is completed at the next start after parts of it were deleted', async () => {
    const slug = 'core:http-request';
    const { node, credentialType } = api.database.global;
    await node.deleteMany({ where: { slug } });
    await credentialType.deleteMany({ where: { slug: 'core:bearer' } });
    await registerBuiltinPackages(api.deps);
    expect(await node.count({ where: { slug } })).toBe(1);
    expect(await credentialType.count({ where: { slug: 'core:bearer' } })).toBe(1);
  });

  test('is upgraded from an older version of the product', async () => {
    const { node, nodePackage } = api.database.global;
    await nodePackage.update({ where: { name_version: { name: 'core', version: '1.0.0' } }, data: { digest: 'old' } });
    await node.update({ where: { slug_version: { slug: 'core:set', version: '1.0.0' } }, data: { name: 'Old name' } });
    await registerBuiltinPackages(api.deps);
    const found = await node.findUnique({ where: { slug_version: { slug: 'core:set', version: '1.0.0' } } });
    expect(found?.name).toBe('Set values');
  });
});
