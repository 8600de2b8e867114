import { createHash } from 'node:crypto';
import type { Prisma } from '#prisma/client.ts';
import type { NodeManifest, NodePackage } from '#src/automation/node-api/manifest.ts';
import type { Deps } from '#src/infra/deps.ts';
import { AppError, ConflictError, NotFoundError } from '#src/infra/errors.ts';
import { sameJson, storableJson } from '#src/infra/json.ts';
import { archiveLimits, readPackageArchive } from './archive/archive.ts';
import type { BuiltPackage, PackageBuild } from './bundler/package-build.ts';
import { credentialTypeRow, lockCatalogue, nodeRow, templateRow } from './catalogue-rows.service.ts';
import { readNodePackage } from './package-manifest.rules.ts';
import { assertOwned, claimSlugs } from './slug-owners.service.ts';

type Tx = Prisma.TransactionClient;

/** The result of a registration; the same for every upload of the same bytes. */
export interface RegisteredPackage extends Pick<NodePackage, 'name' | 'version' | 'label'> {
  nodes: PackageMember[];
  credentialTypes: PackageMember[];
  templates: PackageMember[];
  messages: PackageMember[];
  images: { path: string; contentType: string; size: number }[];
  build: PackageBuild;
  /** False when the package was registered before. */
  created: boolean;
}

export interface PackageMember {
  slug: string;
  version: string;
  name: string;
}

/**
 * Registers an npm-pack archive (gzipped tar) for an organisation. Bundling errors are reported in `build`, and the nodes
 * concerned are registered without code. Registering the same bytes again returns the same result and restores nodes that
 * were deleted since.
 *
 * Throws NotFoundError for an unknown organisation, UNPROCESSABLE or ValidationError for a bad archive, PAYLOAD_TOO_LARGE
 * for too many bytes, and ConflictError when a name, version or namespace is taken; nothing is registered then.
 */
export async function registerNodePackage(
  deps: Deps,
  { orgId, archive }: { orgId: string; archive: Uint8Array | AsyncIterable<Uint8Array> },
): Promise<RegisteredPackage> {
  const { global } = deps.database;
  if (!(await global.org.findUnique({ where: { id: orgId }, select: { id: true } }))) throw new NotFoundError();
  const bytes = await readBytes(archive);
  const digest = createHash('sha256').update(bytes).digest('hex');
  const files = await readPackageArchive(bytes);
  const described = readNodePackage(files);
  storableJson({ ...described, images: [] }, 'package');
  const identity = { orgId, digest, name: described.name, version: described.version };
  const known = await findRegistered(global, identity);
  if (known && (await deletedNodes(global, described)).length === 0) return answer(described, known.build, false);
  // Bundling may take minutes, so this checks first whether the package can be registered, and again under the lock.
  await assertFree(global, orgId, described);

  // The bundler is imported with the first package.
  const { buildPackage } = await import('./bundler/package-build.ts');
  const built = await buildPackage(files, described);
  const images = await store(deps, bytes, described);
  return deps.database.withTenant(null, async (tx) => {
    await lockCatalogue(tx);
    const present = await findRegistered(tx, identity);
    if (present) return answer(described, await restoreNodes(tx, orgId, present, described, built), false);
    await assertFree(tx, orgId, described);
    const { id } = await tx.nodePackage.create({
      data: { ...identity, label: described.label, build: built.build, messages: storedMessages(described) },
      select: { id: true },
    });
    await writeContents(tx, id, described, built);
    await claimSlugs(tx, { orgId, name: described.name }, listSlugs(described));
    await tx.packageImage.createMany({ data: images.map((image) => ({ ...image, packageId: id })) });
    return answer(described, built.build, true);
  });
}

async function readBytes(archive: Uint8Array | AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  if (archive instanceof Uint8Array) return archive;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of archive) {
    size += chunk.byteLength;
    if (size > archiveLimits.compressed) {
      throw new AppError('PAYLOAD_TOO_LARGE', `The package archive is larger than ${archiveLimits.compressed} bytes.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

interface Registered {
  id: bigint;
  build: PackageBuild;
}

/** The package, when these very bytes are already registered. */
async function findRegistered(
  tx: Tx,
  { orgId, digest, name, version }: { orgId: string; digest: string; name: string; version: string },
): Promise<Registered | undefined> {
  const found = await tx.nodePackage.findUnique({ where: { name_version: { name, version } } });
  if (!found) return undefined;
  if (found.orgId === orgId && found.digest === digest) return { id: found.id, build: found.build as PackageBuild };
  throw new ConflictError(
    `${name} ${version} is registered already with other content. Raise the version and publish again.`,
  );
}

/** Throws when the package's name or namespace belongs to another organisation, or a slug of it to another package. */
async function assertFree(tx: Tx, orgId: string, described: NodePackage): Promise<void> {
  const { name, namespace } = described;
  const ofAnother = { orgId: { not: orgId } };
  if (await tx.nodePackage.findFirst({ where: { name, ...ofAnother }, select: { id: true } })) {
    throw new ConflictError(`The package name ${name} belongs to another organisation. Choose another name.`);
  }
  await assertOwned(tx, { orgId, name }, namespace, listSlugs(described));
}

const listSlugs = ({ nodes, credentialTypes, templates }: NodePackage): string[] =>
  [...nodes, ...credentialTypes, ...templates].map(({ slug }) => slug);

/** Objects are named by their content, so a retry finds those of a registration that failed. */
async function store({ storage }: Deps, bytes: Uint8Array, { images }: NodePackage) {
  await storage.put(bytes, { maxBytes: archiveLimits.compressed });
  return Promise.all(
    images.map(async ({ path, contentType, content }) => {
      const { key } = await storage.put(content, { maxBytes: archiveLimits.file });
      return { path, contentType, storageKey: key, size: content.byteLength };
    }),
  );
}

/** The nodes that a registered package declares and that were deleted from the catalogue. */
async function deletedNodes(tx: Tx, { nodes }: NodePackage): Promise<NodeManifest[]> {
  const present = await tx.node.findMany({
    where: { OR: nodes.map(({ slug, version }) => ({ slug, version })) },
    select: { slug: true },
  });
  const slugs = new Set(present.map(({ slug }) => slug));
  return nodes.filter(({ slug }) => !slugs.has(slug));
}

/** Restores deleted nodes, bundling their code anew. Returns the package's build as it is now. */
async function restoreNodes(
  tx: Tx,
  orgId: string,
  { id, build: former }: Registered,
  described: NodePackage,
  built: BuiltPackage,
): Promise<PackageBuild> {
  const deleted = await deletedNodes(tx, described);
  if (deleted.length === 0) return former;
  await assertFree(tx, orgId, described);
  await writeCode(tx, built);
  await tx.node.createMany({ data: deleted.map((node) => nodeRow(id, node, built.findHash('node', node.slug))) });
  const slugs = new Set(deleted.map(({ slug }) => slug));
  const errors = [
    ...former.errors.filter(({ slug }) => !slugs.has(slug)),
    ...built.build.errors.filter(({ slug }) => slugs.has(slug)),
  ];
  const build: PackageBuild = { status: errors.length === 0 ? 'ready' : 'failed', errors };
  await tx.nodePackage.update({ where: { id }, data: { build } });
  return build;
}

const storedMessages = ({ messages }: NodePackage): object[] => messages;

const writeCode = (tx: Tx, { code: bundled }: BuiltPackage) =>
  tx.nodeCode.createMany({ data: [...bundled].map(([hash, code]) => ({ hash, code })), skipDuplicates: true });

async function writeContents(tx: Tx, packageId: bigint, described: NodePackage, built: BuiltPackage): Promise<void> {
  const { nodes, credentialTypes, templates } = described;
  await writeCode(tx, built);
  const nodeRows = nodes.map((node) => nodeRow(packageId, node, built.findHash('node', node.slug)));
  const typeRows = credentialTypes.map((type) =>
    credentialTypeRow(packageId, type, built.findHash('credential', type.slug)),
  );
  const templateRows = templates.map((template) => templateRow(packageId, template));
  await tx.node.createMany({ data: unregistered(nodeRows, await tx.node.findMany(registered(nodeRows))) });
  await tx.credentialType.createMany({
    data: unregistered(typeRows, await tx.credentialType.findMany(registered(typeRows))),
  });
  await tx.workflowTemplate.createMany({
    data: unregistered(templateRows, await tx.workflowTemplate.findMany(registered(templateRows))),
  });
}

const registered = (rows: { slug: string; version: string }[]) => ({
  where: { OR: rows.map(({ slug, version }) => ({ slug, version })) },
});

interface Row {
  slug: string;
  version: string;
  manifest: unknown;
  codeHash?: string | null;
}

/**
 * The rows that are not registered yet. A package's next version may contain an unchanged node version, which then stays as
 * it is; the same version with other content is a conflict.
 */
function unregistered<R extends Row>(rows: R[], present: Row[]): R[] {
  const bySlug = new Map(present.map((row) => [row.slug, row]));
  return rows.filter((row) => {
    const other = bySlug.get(row.slug);
    if (!other) return true;
    if (other.codeHash !== row.codeHash || !sameJson(other.manifest, row.manifest)) {
      throw new ConflictError(
        `${row.slug} ${row.version} is registered already with other content. Raise its version and publish again.`,
      );
    }
    return false;
  });
}

function answer(described: NodePackage, build: PackageBuild, created: boolean): RegisteredPackage {
  const members = (of: PackageMember[]) => of.map(({ slug, version, name }) => ({ slug, version, name }));
  const { name, version, label } = described;
  return {
    name,
    version,
    label,
    build,
    created,
    nodes: members(described.nodes),
    credentialTypes: members(described.credentialTypes),
    templates: members(described.templates),
    messages: members(described.messages),
    images: described.images.map(({ path, contentType, content }) => ({ path, contentType, size: content.byteLength })),
  };
}
