import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { productVersion } from '#src/infra/product-version.ts';

const read = (path: string): Promise<string> => readFile(join(import.meta.dirname, '../..', path), 'utf8');

test('everything that is released has the version of package.json', async () => {
  const versions = async (path: string, pattern: RegExp) =>
    [...(await read(path)).matchAll(pattern)].map(([, found]) => found);
  // npm writes it into its lock file, `npm run generate` into the chart, and a person into the list of changes, newest first.
  expect(await versions('package-lock.json', /^  "version": "(.*)"/gm)).toEqual([productVersion]);
  expect(await versions('deploy/helm/Chart.yaml', /^(?:version|appVersion): '?([^'\n]*)'?$/gm)).toEqual([
    productVersion,
    productVersion,
  ]);
  expect((await versions('CHANGELOG.md', /^## (\d\S*?),/gm))[0]).toBe(productVersion);
});

test('the composition builds an image of its own clone, and no part of it is whatever is latest', async () => {
  const composition = await read('deploy/compose/compose.yaml');
  const images = [...composition.matchAll(/^ +image: (\S+)$/gm)].map(([, image]) => image);
  expect(images.length).toBeGreaterThan(3);
  for (const image of images) expect(image).toMatch(/^(causeway|.*:[0-9].*)$/);
});
