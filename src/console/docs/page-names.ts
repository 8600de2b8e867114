/** The files that are pages, as globs from the root of the repository. */
export const pageFiles = ['docs/**/*.md', 'packages/*/README.md', 'examples/*/README.md'];

/** The name of a file's page in the console, or undefined if it is none: `docs/platform/orders.md` is `platform-orders`. */
export function pageName(path: string): string | undefined {
  const [, inside] = /^(?:docs|packages|(?=examples))\/?(.+)\.md$/.exec(path) ?? [];
  return inside?.replace(/\/README$/, '').replaceAll('/', '-');
}
