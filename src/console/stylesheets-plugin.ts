import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';

/**
 * `import href from './editor.css?url'` gives the address of a stylesheet of its own, which a screen loads with its code. What
 * `main.css` imports is part of the first view, whichever screen it is for.
 */
export const stylesheetsPlugin = (directory: string, minify: boolean): Plugin => ({
  name: 'stylesheets',
  setup(bundler) {
    bundler.onResolve({ filter: /\.css\?url$/ }, async ({ path, resolveDir, importer, kind }) => {
      const found = await bundler.resolve(path.replace(/\?url$/, ''), { resolveDir, importer, kind });
      return { ...found, namespace: 'stylesheet' };
    });
    bundler.onLoad({ filter: /\.css$/, namespace: 'stylesheet' }, async ({ path }) => {
      const { outputFiles, metafile } = await build({
        entryPoints: [path],
        absWorkingDir: directory,
        bundle: true,
        minify,
        write: false,
        metafile: true,
        target: bundler.initialOptions.target,
        logLevel: 'silent',
      });
      const watchFiles = Object.keys(metafile.inputs).map((input) => join(directory, input));
      return { contents: outputFiles[0]?.contents ?? '', loader: 'file', watchFiles };
    });
  },
});
