import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { packNodePackage } from '@causeway/node-kit/pack';
import type { ComparedNode } from '#src/automation/connectors/changes/api-change.ts';
import { compareNodes } from '#src/automation/connectors/changes/compare-nodes.rules.ts';
import type { ApiDescription } from '#src/automation/connectors/descriptions/api-description.ts';
import { readDescription } from '#src/automation/connectors/descriptions/read-description.ts';
import { isChoice } from '#src/automation/connectors/packages/choose-operations.rules.ts';
import { listMadeNodes, readMadeArchive } from '#src/automation/connectors/packages/made-files.ts';
import { createFit, namespaceFor } from '#src/automation/connectors/packages/make-package.ts';
import { type Files, makePackageFiles } from '#src/automation/connectors/packages/package-files.ts';
import type { NodeManifest } from '#src/automation/node-api/manifest.ts';
import { readPackageArchive } from '#src/automation/packages/archive/archive.ts';
import { AppError } from '#src/infra/errors.ts';
import type { Comparison, DescribedApi, Described, DescribeOrder, MadeArchive, MakeOrder } from './describe-order.ts';

const refuse = (message: string): never => {
  throw new AppError('UNPROCESSABLE', message);
};

/** Reads a description, and makes or compares the package that was asked for. Throws UNPROCESSABLE. Takes seconds for a large one. */
export async function describe({ bytes, from, make, compare }: DescribeOrder): Promise<Described> {
  const description = await readDescription(bytes, { from });
  return {
    api: listApi(description),
    ...(make && { made: await makeArchive(description, make) }),
    ...(compare && { comparison: await compareWithPackage(description, compare) }),
  };
}

function listApi(description: ApiDescription): DescribedApi {
  const { kind, title, version, hash, servers, skipped } = description;
  const namespace = namespaceFor(title);
  const { types, fit } = createFit(description, namespace);
  const operations = description.operations.map((operation) => {
    const { name, method, path, summary, tags, deprecated } = operation;
    const { reason } = fit(operation);
    return {
      name,
      method: method.toUpperCase(),
      path,
      title: operation.title,
      summary,
      tags,
      deprecated,
      ...(reason !== undefined && { reason }),
    };
  });
  const credentialTypes = [...types.values()]
    .filter((type) => type !== undefined)
    .map((type) => ({ slug: type.slug, name: type.name, authKind: type.auth_kind }));
  return {
    kind,
    title,
    version,
    hash,
    namespace,
    servers: servers.map(({ url }) => url),
    credentialTypes,
    operations,
    skipped,
  };
}

async function makeFiles(
  description: ApiDescription,
  { choice: asked, namespace, source, before: archive }: MakeOrder,
) {
  const before = archive && (await readMadeArchive(await readPackageArchive(archive)));
  if (archive && !before)
    refuse(`The package ${namespace}-nodes was not made from a description. Choose another namespace.`);
  const choice = asked && isChoice(asked) ? asked : (before?.connector.choice ?? refuse('Choose operations.'));
  const versions = before?.versions ?? new Map();
  return { before, ...makePackageFiles(description, { choice, namespace, source, before: versions }) };
}

async function compareWithPackage(description: ApiDescription, order: MakeOrder): Promise<Comparison> {
  const { before, made } = await makeFiles(description, order);
  if (!before) return refuse(`There is no package ${order.namespace}-nodes to compare with.`);
  const last = listMadeNodes(before);
  return {
    changes: compareNodes(last, made.nodes),
    before: before.connector.description,
    last: last.map(comparedParts),
    next: made.nodes.map(comparedParts),
  };
}

const comparedParts = ({ slug, config, branches, output_schemas, call }: NodeManifest): ComparedNode => ({
  slug,
  ...(config && { config }),
  ...(branches && { branches }),
  ...(output_schemas && { output_schemas }),
  ...(call && { call }),
});

async function makeArchive(description: ApiDescription, order: MakeOrder): Promise<MadeArchive> {
  const { before, made, files } = await makeFiles(description, order);
  if (made.nodes.length + made.messages.length === 0) {
    const [first] = made.skipped;
    refuse(
      `None of the chosen operations can become a node. ${first ? `${first.operation}: ${first.reason}` : 'Choose others.'}`,
    );
  }
  const { name, version } = JSON.parse(files['package.json'] ?? '{}') as { name: string; version: string };
  return {
    archive: await pack(files),
    name,
    version,
    title: description.title,
    nodes: made.nodes.length,
    skipped: made.skipped,
    ...(before && { before: before.connector.description }),
  };
}

/** Packs the files as `causeway node publish` does, which gives the same bytes. */
async function pack(files: Files): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-made-'));
  try {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    return await packNodePackage(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
