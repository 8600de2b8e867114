import type { NodePackage } from '#src/automation/node-api/manifest.ts';
import { bundleLimits, bundleModule } from './bundle.ts';
import type { Bundle } from './bundle.ts';

/** A type alias, because an interface would not be assignable to JSON. */
export type PackageBuildError = {
  /** Slug of the node or credential type that does not bundle. */
  slug: string;
  message: string;
  /** Path in the package. */
  file: string | null;
  line: number | null;
};

/** The result of bundling a package; stored with it. */
export type PackageBuild = {
  status: 'ready' | 'failed';
  errors: PackageBuildError[];
};

export interface BuiltPackage {
  build: PackageBuild;
  /** Bundled code by hash. */
  code: ReadonlyMap<string, string>;
  /** Hash of the code of a node or credential type; null when it has no code or did not bundle. */
  findHash(kind: 'node' | 'credential', slug: string): string | null;
}

/** Limit for all modules of a package together; each module has its own as well. */
const packageTimeMs = 60_000;
const maxErrors = 100;

/** Bundles every module of the package. Bundling errors are reported in `build`, not thrown. */
export async function buildPackage(files: ReadonlyMap<string, Buffer>, described: NodePackage): Promise<BuiltPackage> {
  const deadline = performance.now() + packageTimeMs;
  const errors: PackageBuildError[] = [];
  const code = new Map<string, string>();
  const hashes = new Map<string, string>();
  const modules = [
    ...described.nodes.map(({ slug, entry }) => ({ kind: 'node', exported: 'execute', slug, entry }) as const),
    ...described.credentialTypes.map(
      ({ slug, entry }) => ({ kind: 'credential', exported: 'test', slug, entry }) as const,
    ),
  ];
  for (const { kind, slug, entry, exported } of modules) {
    if (entry === undefined) continue;
    const timeMs = Math.min(bundleLimits.timeMs, deadline - performance.now());
    const bundle = timeMs > 0 ? await bundleModule(files, entry, exported, { ...bundleLimits, timeMs }) : outOfTime;
    if (bundle.ok) {
      code.set(bundle.hash, bundle.code);
      hashes.set(`${kind} ${slug}`, bundle.hash);
    } else {
      const reported = bundle.errors.map(({ text, file, line }) => ({
        slug,
        message: text,
        file: file ?? null,
        line: line ?? null,
      }));
      errors.push(...reported.slice(0, maxErrors - errors.length));
    }
  }
  return {
    build: { status: errors.length === 0 ? 'ready' : 'failed', errors },
    code,
    findHash: (kind, slug) => hashes.get(`${kind} ${slug}`) ?? null,
  };
}

const outOfTime: Bundle = {
  ok: false,
  errors: [{ text: `Bundling the package took longer than ${packageTimeMs} ms.` }],
  warnings: [],
};
