import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { nodeKitFile, productDir } from '#src/console/build-inputs.ts';
import { bundleCompiler, scriptOptions, type Script } from './compiler.ts';

/**
 * `import href from 'causeway:worker/editor/types.worker.ts'` gives the address of the script of a worker, which is a file below `console/`. The worker may import `causeway:typescript`,
 * `causeway:typescript/de` and `causeway:node-kit`; the first two are scripts of their own, which are handed to `add`.
 */
export const workersPlugin = (
  directory: string,
  { minify, target, add }: { minify: boolean; target: string[]; add: (script: Script) => void },
): Plugin => ({
  name: 'workers',
  setup(bundler) {
    bundler.onResolve({ filter: /^causeway:worker\// }, ({ path }) => {
      const source = join(directory, 'console', path.slice('causeway:worker/'.length));
      return { path: source.replace(/\.ts$/, '.js'), namespace: 'worker', pluginData: source };
    });
    bundler.onLoad({ filter: /.*/, namespace: 'worker' }, async ({ pluginData }) => {
      const { typescript, german } = await bundleCompiler(minify, target);
      const { outputFiles } = await build({
        entryPoints: [String(pluginData)],
        absWorkingDir: directory,
        ...scriptOptions(minify, target),
        plugins: [ownModules(typescript, german)],
      });
      add(typescript);
      add(german);
      return { contents: outputFiles[0]?.contents ?? '', loader: 'file' };
    });
  },
});

const ownModules = (typescript: Script, german: Script): Plugin => ({
  name: 'own-modules',
  setup(bundler) {
    const external = ({ name }: Script) => ({ path: `./${name}`, external: true });
    bundler.onResolve({ filter: /^causeway:typescript$/ }, () => external(typescript));
    bundler.onResolve({ filter: /^causeway:typescript\/de$/ }, () => external(german));
    bundler.onResolve({ filter: /^causeway:node-kit$/ }, ({ path }) => ({ path, namespace: 'text' }));
    bundler.onLoad({ filter: /^causeway:node-kit$/, namespace: 'text' }, async () => ({
      contents: `export const nodeKit = ${JSON.stringify(await readFile(join(productDir, nodeKitFile), 'utf8'))};`,
    }));
  },
});
