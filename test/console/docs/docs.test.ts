import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { docsOrder } from '#console/docs/pages.ts';
import { readDocs } from '#src/console/docs/read-docs.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

test('every link and anchor of the docs, the README and CONTRIBUTING leads somewhere, and the console can draw every page', async () => {
  const { faults } = await readDocs(root, ['README.md', 'CONTRIBUTING.md']);
  // The README is only read where the repository is shown, which draws its pictures.
  expect(faults.filter((fault) => !fault.startsWith('README.md: the console cannot draw image'))).toEqual([]);
});

test('every page has one place in the order of the docs, except the records below the list of decisions', async () => {
  const { pages } = await readDocs(root);
  const names = pages.map(({ name }) => name).filter((name) => !name.startsWith('decisions-'));
  expect(docsOrder.toSorted()).toEqual(names.toSorted());
});

test('examples name the development server in the form that the console replaces', async () => {
  const { pages } = await readDocs(root);
  const text = JSON.stringify(pages);
  expect(text.match(/(?<!(?:http|ws):\/\/)(?:localhost|127\.0\.0\.1):4000/g)).toBeNull();
});
