import { access, glob, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

/** Links to files, without those in code. */
const listLinks = (text: string): string[] =>
  [...text.replaceAll(/^```[^]*?^```$/gm, '').matchAll(/\]\((?!https?:|#)([^)#\s]+)(?:#[^)]*)?\)/g)].map(
    ([, path = '']) => path,
  );

test('every link to a file in the docs leads to an existing file', async () => {
  const root = new URL('../../', import.meta.url);
  const broken: string[] = [];
  for await (const file of glob(['README.md', 'CONTRIBUTING.md', 'docs/**/*.md'], { cwd: root.pathname })) {
    for (const link of listLinks(await readFile(new URL(file, root), 'utf8'))) {
      const isThere = await access(new URL(link, new URL(file, root))).then(
        () => true,
        () => false,
      );
      if (!isThere) broken.push(`${file}: ${link}`);
    }
  }
  expect(broken).toEqual([]);
});
