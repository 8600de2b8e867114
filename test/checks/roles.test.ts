import { glob } from 'node:fs/promises';
import { expect, test } from 'vitest';

/** What the layer rules and CONTRIBUTING.md know a file by. */
const roles =
  /\.(inputs|rules|reads|store|access|jobs|topics|audit|sealed|scopes|links|schema|service|graphql|parts|chores)\.ts$/;

/** Libraries inside the domains: they compute or read files, and none of them knows the database. */
const libraries = [
  'automation/expressions',
  'automation/node-api',
  'automation/core-nodes',
  'automation/packages/archive',
  'automation/packages/bundler',
  'automation/packages/schemas',
  'themes/manifest',
  'themes/sanitiser',
].map((folder) => `src/${folder}/`);

/** The files of a domain that no layer rule can tell by their role. */
const withoutRole = (files: readonly string[]): string[] =>
  files.filter((file) => !roles.test(file) && !libraries.some((folder) => file.startsWith(folder)));

test.each([
  ['automation', 150],
  ['themes', 15],
])('every file of %s has a role, so that the layer rules see it', async (domain, least) => {
  const files: string[] = [];
  for await (const file of glob(`src/${domain}/**/*.ts`)) files.push(file);
  expect(files.length).toBeGreaterThan(least);
  expect(withoutRole(files), 'Name the file by its role (see "Where a thing goes" in CONTRIBUTING.md).').toEqual([
    // What the domain opens once a process; it belongs to no slice.
    `src/${domain}/${domain}.ts`,
  ]);
});

test('a file without a role is found', () => {
  const files = [
    'src/automation/runs/helpers.ts',
    'src/automation/runs/runs.reads.ts',
    'src/automation/node-api/ports.ts',
  ];
  expect(withoutRole(files)).toEqual(['src/automation/runs/helpers.ts']);
});
