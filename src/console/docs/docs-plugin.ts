import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import { buildIndex } from '#console/docs/search-index.ts';
import type { Page } from '#console/docs/tree.ts';
import type { CompiledDocs } from './compile-docs.ts';
import { listPageFiles } from './page-names.ts';
import { readDocs } from './read-docs.ts';

const namespace = 'causeway-docs';

/** Provides `causeway:docs` to the console: the list of pages, a module for each page, and one for the index, loaded when they are shown. */
export const docsPlugin = (root: string): Plugin => ({
  name: namespace,
  setup(build) {
    let reading: Promise<CompiledDocs> | undefined;
    // In watch mode each build reads the files again.
    build.onStart(() => {
      reading = undefined;
    });
    const read = async () => (await (reading ??= readDocs(root))).pages;

    build.onResolve({ filter: /^causeway:docs(\/|$)/ }, ({ path }) => ({ path, namespace }));
    build.onLoad({ filter: /^causeway:docs$/, namespace }, async () => ({
      contents: listModule(await read()),
      watchDirs: [join(root, 'docs')],
      watchFiles: listPageFiles(root).map((file) => join(root, file)),
    }));
    build.onLoad({ filter: /^causeway:docs\/index$/, namespace }, async () => ({
      // Records of decisions are for those who change the product. Their list, which is a page, has their titles.
      contents: exportValue('index', buildIndex((await read()).filter(({ name }) => !name.startsWith('decisions-')))),
    }));
    build.onLoad({ filter: /^causeway:docs\/page\//, namespace }, async ({ path }) => {
      const page = (await read()).find(({ name }) => path.endsWith(`/page/${name}`));
      return { contents: exportValue('page', page) };
    });
  },
});

const exportValue = (name: string, value: unknown) => `export const ${name} = ${JSON.stringify(value)};`;

const listModule = (pages: readonly Page[]) => `
${exportValue('titles', Object.fromEntries(pages.map(({ name, title }) => [name, title])))}
export const pages = {
${pages.map(({ name }) => `  ${JSON.stringify(name)}: () => import(${JSON.stringify(`causeway:docs/page/${name}`)}),`).join('\n')}
};
export const loadIndex = () => import('causeway:docs/index');
`;
