import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { packNodePackage } from '@causeway/node-kit/pack';
import type { ApiDescription } from '#src/automation/connectors/descriptions/api-description.ts';
import { readDescription } from '#src/automation/connectors/descriptions/read-description.ts';
import { isChoice } from '#src/automation/connectors/packages/choose-operations.rules.ts';
import { readMadeArchive } from '#src/automation/connectors/packages/made-files.ts';
import { createFit, namespaceFor } from '#src/automation/connectors/packages/make-package.ts';
import { type Files, makePackageFiles } from '#src/automation/connectors/packages/package-files.ts';
import { readPackageArchive } from '#src/automation/packages/archive/archive.ts';
import { AppError } from '#src/infra/errors.ts';
import type { DescribedApi, Described, DescribeOrder, MadeArchive, MakeOrder } from './describe-order.ts';

const refuse = (message: string): never => {
  throw new AppError('UNPROCESSABLE', message);
};

/** Reads a description and makes the package that was asked for. Throws UNPROCESSABLE with the reason. Takes seconds for a large one. */
export async function describe({ bytes, from, make }: DescribeOrder): Promise<Described> {
  const description = await readDescription(bytes, { from });
  return { api: listApi(description), ...(make && { made: await makeArchive(description, make) }) };
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

async function makeArchive(
  description: ApiDescription,
  { choice: asked, namespace, source, before: archive }: MakeOrder,
): Promise<MadeArchive> {
  const before = archive && (await readMadeArchive(await readPackageArchive(archive)));
  if (archive && !before)
    refuse(`The package ${namespace}-nodes was not made from a description. Choose another namespace.`);
  const choice = asked && isChoice(asked) ? asked : (before?.connector.choice ?? refuse('Choose operations.'));
  const versions = before?.versions ?? new Map();
  const { made, files } = makePackageFiles(description, { choice, namespace, source, before: versions });
  if (made.nodes.length === 0) {
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
