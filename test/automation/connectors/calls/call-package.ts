import type { ApiCall } from '#src/automation/node-api/api-call.ts';
import type { ConfigField, CredentialTypeManifest, NodeManifest } from '#src/automation/node-api/manifest.ts';
import { credentialTypeRow, nodeRow } from '#src/automation/packages/catalogue-rows.service.ts';
import type { TestApp } from '#test/setup/app.ts';

export interface TestCall {
  /** Without the namespace. */
  name: string;
  call: ApiCall;
  config?: ConfigField[];
  branches?: string[];
  output_schemas?: NodeManifest['output_schemas'];
}

type TestType = Pick<CredentialTypeManifest, 'auth_kind' | 'fields' | 'sends'> & { name: string };

/** Adds a package whose nodes describe their calls to the catalogue. */
export async function addCallPackage(
  { deps }: Pick<TestApp, 'deps'>,
  {
    namespace,
    version = '1.0.0',
    nodes,
    types = [],
  }: { namespace: string; version?: string; nodes: TestCall[]; types?: TestType[] },
): Promise<void> {
  const manifests = nodes.map(({ name, ...node }): NodeManifest => ({
    manifest_version: 'v0-draft',
    kind: 'action',
    slug: `${namespace}:${name}`,
    version,
    name,
    ...node,
  }));
  await deps.database.withTenant(null, async (tx) => {
    const { id } = await tx.nodePackage.create({
      data: {
        orgId: 'acme',
        name: `${namespace}-nodes`,
        version,
        label: namespace,
        digest: `${namespace}@${version}`,
        build: { status: 'ready', errors: [] },
      },
    });
    await tx.node.createMany({ data: manifests.map((manifest) => nodeRow(id, manifest, null)) });
    await tx.credentialType.createMany({
      data: types.map(({ name, ...type }) =>
        credentialTypeRow(id, { slug: `${namespace}:${name}`, version, name, ...type }, null),
      ),
    });
  });
}
