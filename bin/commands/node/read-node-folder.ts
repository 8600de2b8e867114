import { packNodePackage } from '@causeway/node-kit/pack';
import { CommandError } from '#bin/command.ts';
import type { NodePackage } from '#src/automation/node-api/manifest.ts';
import { readPackageArchive } from '#src/automation/packages/archive/archive.ts';
import { bundleModule, type BundleProblem } from '#src/automation/packages/bundler/bundle.ts';
import { readNodePackage } from '#src/automation/packages/package-manifest.rules.ts';
import { AppError, ValidationError } from '#src/infra/errors.ts';
import { findExportProblem } from './export-problem.ts';

/** A bundled module of a package: a node's or a credential type's. */
export interface BuiltModule {
  slug: string;
  entry: string;
  bytes: number;
}

export interface CheckedFolder {
  archive: Buffer;
  description: NodePackage;
  modules: BuiltModule[];
}

/**
 * Packs a folder and runs every check of an upload on the archive: archive, manifests, bundles; and loads the bundles.
 * Throws CommandError with the reasons, one per line.
 */
export async function checkNodeFolder(folder: string): Promise<CheckedFolder> {
  const archive = await packNodePackage(folder).catch((error: unknown) => {
    throw new CommandError(`${folder} cannot be packed: ${error instanceof Error ? error.message : 'unknown'}`);
  });
  try {
    const files = await readPackageArchive(archive);
    const description = readNodePackage(files);
    return { archive, description, modules: await bundleAll(files, description) };
  } catch (error) {
    if (error instanceof ValidationError) {
      const lines = Object.entries(error.fields).flatMap(([place, reasons]) =>
        reasons.map((reason) => `  ${place} ${reason}`),
      );
      throw new CommandError(`The node package is invalid:\n${lines.join('\n')}`, {
        details: { errors: error.fields },
      });
    }
    throw error instanceof AppError ? new CommandError(error.message) : error;
  }
}

async function bundleAll(
  files: ReadonlyMap<string, Buffer>,
  { nodes, credentialTypes }: NodePackage,
): Promise<BuiltModule[]> {
  const wanted = [
    ...nodes.map(({ slug, entry }) => ({ slug, entry, exported: 'execute' as const })),
    ...credentialTypes.map(({ slug, entry }) => ({ slug, entry, exported: 'test' as const })),
  ];
  const modules: BuiltModule[] = [];
  const problems: (BundleProblem & { slug: string })[] = [];
  for (const { slug, entry, exported } of wanted) {
    if (entry === undefined) continue;
    const bundle = await bundleModule(files, entry, exported);
    const text = bundle.ok ? findExportProblem(bundle.code) : undefined;
    if (!bundle.ok) problems.push(...bundle.errors.map((error) => ({ slug, ...error })));
    else if (text !== undefined) problems.push({ slug, text: `${entry}: ${text}` });
    else modules.push({ slug, entry, bytes: Buffer.byteLength(bundle.code) });
  }
  if (problems.length === 0) return modules;
  const lines = problems.map(
    ({ slug, file, line, text }) => `  ${slug} ${file === undefined ? '' : `${file}:${line} `}${text}`,
  );
  throw new CommandError(`The package's modules cannot be used:\n${lines.join('\n')}`, {
    details: { errors: problems },
  });
}
