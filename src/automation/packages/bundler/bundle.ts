import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import * as esbuild from 'esbuild';
import type { BuildFailure, BuildOptions, Loader, Message, Plugin } from 'esbuild';
import { isEsbuildLost, withEsbuild } from '#src/infra/esbuild-process.ts';
import { nodeBundleFormat } from './bundle-format.ts';
import type { NodeEntry } from './bundle-format.ts';
import { importProblems } from './computed-imports.ts';
import { resolveModule } from './module-resolution.ts';

/** `source` is in bytes of all imported files, `output` in characters. */
export interface BundleLimits {
  source: number;
  output: number;
  timeMs: number;
}

const MiB = 1024 * 1024;

export const bundleLimits: BundleLimits = { source: 8 * MiB, output: nodeBundleFormat.maxSourceChars, timeMs: 15_000 };

export interface BundleProblem {
  text: string;
  /** Path in the package; absent when the problem has no location. */
  file?: string;
  line?: number;
}

export type Bundle =
  | { ok: true; code: string; hash: string; warnings: BundleProblem[] }
  | { ok: false; errors: BundleProblem[]; warnings: BundleProblem[] };

const maxProblems = 20;

const loaders: Record<string, Loader> = {
  '.ts': 'ts',
  '.mts': 'ts',
  '.cts': 'ts',
  '.js': 'js',
  '.mjs': 'js',
  '.cjs': 'js',
  '.json': 'json',
  '.txt': 'text',
};

const inPackage = 'package';

/**
 * Bundles one module of a package into a script that assigns its exports to the global `__node`.
 *
 * Only `files` are used: nothing is read from the host, fetched or run. The module must export the function `exported`. The
 * same files give the same code, so `hash` (SHA-256, hexadecimal) identifies it. Never throws because of the package's
 * content: the result carries at most 20 errors.
 */
export async function bundleModule(
  files: ReadonlyMap<string, Buffer>,
  entry: string,
  exported: Extract<NodeEntry, 'execute' | 'test'>,
  limits: BundleLimits = bundleLimits,
): Promise<Bundle> {
  const built = await withEsbuild(() => build(optionsFor(files, entry, exported, limits), limits.timeMs));
  if ('errors' in built) return { ok: false, ...built };
  if (built.code.length > limits.output) {
    const errors = [{ text: `The bundle is longer than ${limits.output} characters; import less.` }];
    return { ok: false, errors, warnings: built.warnings };
  }
  return { ok: true, ...built, hash: createHash('sha256').update(built.code).digest('hex') };
}

function optionsFor(
  files: ReadonlyMap<string, Buffer>,
  entry: string,
  exported: string,
  limits: BundleLimits,
): BuildOptions {
  const from = JSON.stringify(`./${entry}`);
  return {
    // Importing the export by name makes its absence an error here instead of at the first run.
    stdin: {
      contents: `export * from ${from};\nexport { ${exported} } from ${from};`,
      sourcefile: 'entry',
      loader: 'js',
    },
    plugins: [packageOnly(files, limits.source)],
    bundle: true,
    write: false,
    format: nodeBundleFormat.format,
    globalName: nodeBundleFormat.globalName,
    platform: nodeBundleFormat.platform,
    target: nodeBundleFormat.target,
    charset: 'utf8',
    legalComments: 'none',
    define: { 'process.env.NODE_ENV': '"production"' },
    // Without these, esbuild looks for a tsconfig.json in the working directory and shows its paths in comments.
    absWorkingDir: '/',
    tsconfigRaw: '{}',
    logLevel: 'silent',
    logLimit: maxProblems,
  };
}

interface Problems {
  errors: BundleProblem[];
  warnings: BundleProblem[];
}

const failed = (text: string): Problems => ({ errors: [{ text }], warnings: [] });

async function build(
  options: BuildOptions,
  timeMs: number,
): Promise<{ code: string; warnings: BundleProblem[] } | Problems> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), timeMs);
  });
  try {
    const building = esbuild.build(options);
    // After a timeout the result is ignored, and stopping the process rejects it.
    building.catch(() => {});
    const result = await Promise.race([building, late]);
    if (result !== 'late') return { code: result.outputFiles?.[0]?.text ?? '', warnings: problems(result.warnings) };
    await esbuild.stop();
    return failed(`Bundling took longer than ${timeMs} ms.`);
  } catch (error) {
    if (isBuildFailure(error)) return { errors: problems(error.errors), warnings: problems(error.warnings) };
    if (!isEsbuildLost(error)) throw error;
    await esbuild.stop();
    return failed('The module crashed the bundler; it is nested too deeply.');
  } finally {
    clearTimeout(timer);
  }
}

const isBuildFailure = (error: unknown): error is BuildFailure =>
  error instanceof Error && 'errors' in error && Array.isArray(error.errors);

const problems = (messages: readonly Message[]): BundleProblem[] =>
  messages.slice(0, maxProblems).map(({ text, location }) => ({
    text: text.slice(0, 500),
    ...(location === null ? {} : { file: location.file.replace(`${inPackage}:`, ''), line: location.line }),
  }));

/** Resolves every import from the archive, so that esbuild's own resolver, which reads the host's disk, is never used. */
function packageOnly(files: ReadonlyMap<string, Buffer>, maxSource: number): Plugin {
  let loaded = 0;
  return {
    name: 'package-only',
    setup(build) {
      build.onResolve({ filter: /.*/ }, ({ path, importer, namespace }) => {
        const from = namespace === inPackage ? importer : 'entry';
        const found = resolveModule(files, path, from);
        if ('path' in found) return { path: found.path, namespace: inPackage };
        if (path === kitName) return { path: kitPath, namespace: 'kit' };
        return { errors: [{ text: `"${path.slice(0, 200)}" ${found.reason}.` }] };
      });
      build.onLoad({ filter: /.*/, namespace: 'kit' }, () => ({ contents: kitSource(), loader: 'ts' }));
      build.onLoad({ filter: /.*/, namespace: inPackage }, async ({ path }) => {
        const contents = files.get(path);
        const loader = loaders[posix.extname(path)];
        if (contents === undefined) return { errors: [{ text: `"${path}" is not in the package.` }] };
        if (loader === undefined) {
          return { errors: [{ text: `"${path}" is not a module; import ${Object.keys(loaders).join(', ')} files.` }] };
        }
        loaded += contents.byteLength;
        if (loaded > maxSource) return { errors: [{ text: `The module imports more than ${maxSource} bytes.` }] };
        const errors =
          loader === 'ts' || loader === 'js' ? await importProblems(path, contents.toString('utf8'), loader) : [];
        return { contents, loader, errors };
      });
      // This should be unreachable. It ensures that a file which esbuild finds by itself is still not read.
      build.onLoad({ filter: /.*/ }, ({ path }) => ({ errors: [{ text: `"${path}" is not in the package.` }] }));
    },
  };
}

const kitName = '@causeway/node-kit';
const kitPath = 'define.ts';
let kit: string | undefined;

/** The authoring kit's small runtime ships with the product, so that packages need not bundle it. */
const kitSource = (): string =>
  (kit ??= readFileSync(new URL('../../../../packages/node-kit/src/define.ts', import.meta.url), 'utf8'));
