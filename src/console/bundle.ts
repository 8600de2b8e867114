import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build, type BuildFailure, type BuildOptions, formatMessages, type Metafile, type Plugin } from 'esbuild';
import { workersPlugin } from './code-types/workers-plugin.ts';
import type { ConsoleBuild, Page } from './console-build.ts';
import { docsPlugin } from './docs/docs-plugin.ts';
import { joinFirstView } from './join-first-view.ts';
import { stylesheetsPlugin } from './stylesheets-plugin.ts';

const entry = 'console/main.tsx';
const icon = 'console/icon.svg';

/** The screens that most readers open first. What they import is part of the first view: seven scripts of less than 6 kB, which most screens share. */
const firstScreens = 'console/automation/runs/runs.screens.tsx';

/** The browsers that have `light-dark()` in CSS, which every colour of the console uses. */
const browsers = ['chrome123', 'firefox120', 'safari17.5'];

const options = {
  entryPoints: [entry],
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'browser',
  target: ['es2023', ...browsers],
  jsx: 'automatic',
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  loader: { '.svg': 'copy', '.woff2': 'copy', '.png': 'copy' },
  metafile: true,
  write: false,
  logLevel: 'silent',
} satisfies BuildOptions;

/** React has had the hook since 18; the package brings it to older ones. */
const useOwnStore: Plugin = {
  name: 'use-own-store',
  setup(bundler) {
    bundler.onResolve({ filter: /^use-sync-external-store\/shim(?:\/index\.js)?$/ }, ({ kind, resolveDir }) =>
      bundler.resolve('react', { kind, resolveDir }),
    );
  },
};

/** `development` keeps names and the warnings of React. */
export type BundleMode = 'production' | 'development';

const modeOptions = (mode: BundleMode) =>
  ({
    minify: mode === 'production',
    sourcemap: mode === 'development' && 'linked',
    conditions: [mode, 'module'],
    define: { 'process.env.NODE_ENV': JSON.stringify(mode) },
  }) satisfies BuildOptions;

/** Bundles the console in `directory`. Throws an error that shows where the sources are wrong. */
export async function bundleConsole(
  directory: string,
  mode: BundleMode,
): Promise<Omit<ConsoleBuild, 'id' | 'documents'>> {
  try {
    const minify = mode === 'production';
    const beside = new Map<string, Buffer>();
    const { outputFiles, metafile } = await build({
      ...options,
      ...modeOptions(mode),
      absWorkingDir: directory,
      plugins: [
        docsPlugin(directory),
        useOwnStore,
        stylesheetsPlugin(directory, minify),
        workersPlugin(directory, {
          minify,
          target: options.target,
          add: ({ name, content }) => beside.set(name, content),
        }),
      ],
      outdir: join(directory, 'out'),
    });
    const files = new Map(outputFiles.map(({ path, contents }) => [basename(path), Buffer.from(contents)]));
    const page = { ...describePage(metafile), icon: dataUrl(await readFile(join(directory, icon), 'utf8')) };
    // A map of the sources would not fit what is joined.
    if (mode === 'development') return { page, assets: asAssets([...files, ...beside]) };
    const rest = [...files].filter(([name]) => !name.endsWith('.js'));
    const joined = await joinFirstView(readScripts(files, metafile), page);
    const scripts = [...joined].map(([name, text]): [string, Buffer] => [name, Buffer.from(text)]);
    return { page: { ...page, imports: [] }, assets: asAssets([...rest, ...scripts, ...beside]) };
  } catch (error) {
    throw new Error(`The console could not be built. ${await explain(error)}`, { cause: error });
  }
}

const asAssets = (files: Iterable<[string, Buffer]>) =>
  new Map([...files].map(([name, content]) => [name, { content }]));

const readScripts = (files: ReadonlyMap<string, Buffer>, { outputs }: Metafile) =>
  new Map(
    Object.entries(outputs)
      .filter(([path]) => path.endsWith('.js'))
      .map(([path, { exports }]) => [basename(path), { text: files.get(basename(path))?.toString() ?? '', exports }]),
  );

/** esbuild's messages with the lines that they are about. */
async function explain(error: unknown): Promise<string> {
  const { errors, message } = error as BuildFailure | (Error & { errors?: never });
  if (!errors) return message;
  return (await formatMessages(errors, { kind: 'error' })).join('\n');
}

/** In the page, so that it is no request; it has 230 bytes. */
const dataUrl = (svg: string): string => `data:image/svg+xml,${encodeURIComponent(svg.trim())}`;

function describePage({ outputs }: Metafile): Omit<Page, 'icon'> {
  const find = (source: string) => Object.entries(outputs).find(([, output]) => output.entryPoint === source);
  const [entryPath = '', main] = find(entry) ?? [];
  const [firstPath = ''] = find(firstScreens) ?? [];
  const styles = Object.values(outputs).filter(({ cssBundle }) => cssBundle !== undefined);
  if (!main?.cssBundle || styles.length !== 1) {
    throw new Error(
      'The console has one stylesheet, so that no screen waits for a second: import each file from console/ui/styles/main.css alone, or by `?url` where a screen loads it.',
    );
  }
  return {
    entry: basename(entryPath),
    imports: listImports(outputs, entryPath, firstPath).map((path) => basename(path)),
    style: basename(main.cssBundle),
  };
}

/** The modules that load with those at `paths` before anything runs; not those that are imported later. */
function listImports(outputs: Metafile['outputs'], ...paths: string[]): string[] {
  const found = new Set<string>();
  const visit = (from: string): void => {
    for (const { path: to, kind, external } of outputs[from]?.imports ?? []) {
      if (kind !== 'import-statement' || external || found.has(to)) continue;
      found.add(to);
      visit(to);
    }
  };
  for (const path of paths) visit(path);
  for (const path of paths) found.delete(path);
  return [...found];
}
