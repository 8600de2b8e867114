import { globSync } from 'node:fs';

/** The paths of the files that are pages, from the root of the repository. */
export const listPageFiles = (root: string): string[] =>
  globSync(['docs/**/*.md', 'packages/*/README.md', 'examples/*/README.md'], { cwd: root }).toSorted();

/** The name of a file's page in the console, or undefined if it is none: `docs/platform/orders.md` is `platform-orders`. */
export function pageName(path: string): string | undefined {
  const [, inside] = /^(?:docs|packages|(?=examples))\/?(.+)\.md$/.exec(path) ?? [];
  return inside?.replace(/\/README$/, '').replaceAll('/', '-');
}
