import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { context } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { docsPlugin } from '#src/console/docs/docs-plugin.ts';

async function openProject(files: Record<string, string>) {
  const root = await mkdtemp(join(tmpdir(), 'docs-plugin-'));
  onTestFinished(() => rm(root, { recursive: true }));
  await mkdir(join(root, 'docs'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(root, name), text);
  const build = await context({
    stdin: { contents: "export { titles, pages, loadIndex } from 'causeway:docs';", resolveDir: root },
    bundle: true,
    splitting: true,
    format: 'esm',
    write: false,
    outdir: join(root, 'out'),
    plugins: [docsPlugin(root)],
  });
  onTestFinished(() => build.dispose());
  return { root, build: async () => (await build.rebuild()).outputFiles?.map(({ text }) => text) ?? [] };
}

test('each page is a module of its own, so that a reader loads the page that is read', async () => {
  const { build } = await openProject({ 'docs/a.md': '# Apples\n\nThey are red.', 'docs/b.md': '# Pears\n\nGreen.' });
  const outputs = await build();
  expect(outputs.filter((text) => text.includes('They are red.'))).toHaveLength(1);
  expect(outputs.filter((text) => text.includes('Green.'))).toHaveLength(1);
  const entry = outputs.find((text) => text.includes('loadIndex')) ?? '';
  expect(entry).toContain('Pears');
  expect(entry).not.toContain('Green.');
});

test('a page that changes while the build watches is read again', async () => {
  const { root, build } = await openProject({ 'docs/a.md': '# Apples\n\nThey are red.' });
  await build();
  await writeFile(join(root, 'docs/a.md'), '# Apples\n\nThey are green.');
  expect((await build()).join()).toContain('They are green.');
});
