import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stop } from 'esbuild';
import { expect } from 'vitest';
import { createProduct } from '#src/commerce/products/products.service.ts';
import { buildConsole } from '#src/console/build-console.ts';
import { productDir } from '#src/console/build-inputs.ts';
import { systemActor } from '#src/infra/deps.ts';
import { openPage } from '#test/console/commerce/signed-in.ts';
import { test } from '#test/setup/app-test.ts';
import { browserIsMissing, launchBrowser, skippedSuffix } from '#test/setup/browser.ts';
import { startTestConsole } from '#test/setup/console.ts';

/** All that somebody writes for a noun: a list, a page and an action. */
const screens = `
import { mutation, page, rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';
import * as format from '#console/ui/formats.tsx';
import { member, valuesOf } from '#console/ui/screens/columns.ts';
import { detail, list, type Screens } from '#console/ui/screens/screen.ts';

export const SampleRow = graphql(\`
  fragment SampleRow on Product { id sku name createdAt viewerCan { update } }
\`);

const sampleList = list('products', rows('products', SampleRow), {
  columns: [member('sku', format.text), member('name', format.text), member('createdAt', format.time)],
  empty: 'No sample yet.',
});

const samplePage = detail('product', page('product', SampleRow), {
  title: (sample) => 'Sample ' + sample.sku,
  facts: [member('name', format.text)],
  actions: [
    {
      key: 'rename',
      label: 'Rename',
      document: mutation('updateProduct', 'product { ...SampleRow }', [SampleRow]),
      allowed: (sample) => sample.viewerCan.update,
      form: { fields: ['name'], initial: valuesOf('name') },
      done: 'The sample is renamed.',
    },
  ],
});

export const samples: Screens = { list: sampleList, detail: samplePage };
`;

const line = `{ noun: 'samples', place: 'stock', docs: 'workflows', load: () => import('#console/samples.screens.tsx').then((m) => m.samples) },`;

/** The sources of the console with one file and one line more. */
async function copySources(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'causeway-console-'));
  for (const path of [
    'console',
    'docs',
    'src/console',
    'schema.graphql',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'README.md',
    'CONTRIBUTING.md',
    'packages/node-kit/src/define.ts',
  ]) {
    await cp(join(productDir, path), join(directory, path), { recursive: true });
  }
  await symlink(join(productDir, 'node_modules'), join(directory, 'node_modules'));
  await writeFile(join(directory, 'console/samples.screens.tsx'), screens);
  const registry = join(directory, 'console/shell/nouns.ts');
  const listed = await readFile(registry, 'utf8');
  await writeFile(
    registry,
    listed.replace('export const nouns: readonly Noun[] = [', (start) => `${start}\n  ${line}`),
  );
  return directory;
}

test.skipIf(browserIsMissing)(
  `a noun has a list, a page and a form by one file of screens and a line in the list of nouns${skippedSuffix}`,
  { timeout: 240_000 },
  async ({ database, onTestFinished }) => {
    const directory = await copySources();
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const build = await buildConsole(directory);
    await stop();
    const consoleSite = { build: () => build, close: () => undefined };
    const running = await startTestConsole(database.url, { consoleSite });
    onTestFinished(() => running.close());
    const actor = systemActor('acme', 'acme-shop');
    await createProduct(running.api.deps, actor, { sku: 'MUG-1', name: 'Mug' });
    const browser = await launchBrowser();
    onTestFinished(() => browser.close());

    const page = await openPage(browser, running, 'samples');
    await page.getByRole('link', { name: 'MUG-1' }).click();
    await page.getByRole('heading', { name: 'Sample MUG-1' }).waitFor();
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Mug, blue');
    await page.getByRole('complementary', { name: 'Rename' }).getByRole('button', { name: 'Rename' }).click();
    await page.getByText('The sample is renamed.').waitFor();
    expect(await page.getByRole('complementary', { name: 'Facts' }).innerText()).toContain('Mug, blue');
  },
);
