import { globSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';

/** The suffixes by which the layer rules and CONTRIBUTING.md recognise a file's role. */
const roles = /\.(inputs|rules|reads|store|access|declarations|targets|schema|service|graphql)\.ts$/;

/** Folders of src that hold no slices. */
const noDomains = ['infra', 'graphql', 'process', 'domains', 'demo', 'console'];

/** Libraries inside the domains: they compute or read files, and none of them knows the database. Nodes call services. */
const libraries = [
  'automation/expressions',
  'automation/node-api',
  'automation/core-nodes',
  'automation/connectors/calls',
  'automation/connectors/changes',
  'automation/connectors/descriptions',
  'automation/connectors/packages',
  'automation/connectors/reading',
  'automation/formats',
  'automation/http-calls',
  'automation/packages/archive',
  'automation/packages/bundler',
  'automation/packages/schemas',
  'commerce/nodes',
  'identity/dev-sign-in',
  'imports/comparing',
  'imports/formats',
  'imports/targets',
  'themes/manifest',
  'themes/sanitiser',
].map((folder) => `src/${folder}/`);

/** Other files without a role, by domain. */
const others: Record<string, string[]> = {
  // Callers: identified before any slice runs, by the graph and by every API.
  identity: ['bearer', 'caller', 'console-config', 'dev-issuer', 'provider-keys', 'tokens'],
  // Shared by all domains to declare topics and audited resources, and to publish events.
  journal: ['audit/audited', 'outbox/outbox', 'outbox/topic'],
};

/** The files of a domain that no layer rule can tell by their role. */
const withoutRole = (files: readonly string[]): string[] =>
  files.filter((file) => !roles.test(file) && !libraries.some((folder) => file.startsWith(folder)));

const domains = readdirSync('src', { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !noDomains.includes(entry.name))
  .map(({ name }) => name);

test('the domains are found', () => {
  expect(domains).toEqual(
    expect.arrayContaining(['automation', 'commerce', 'identity', 'imports', 'journal', 'themes']),
  );
});

test.each(domains)('every file of %s has a role, so that the layer rules see it', (domain) => {
  const files = globSync(`src/${domain}/**/*.ts`);
  expect(files.length).toBeGreaterThan(2);
  // `x/x.ts` is what the domain opens once a process; it belongs to no slice.
  const known = [domain, ...(others[domain] ?? [])].map((name) => `src/${domain}/${name}.ts`);
  const unknown = withoutRole(files).filter((file) => !known.includes(file));
  expect(unknown, 'Name the file by its role (see "Where a thing goes" in CONTRIBUTING.md).').toEqual([]);
});

test('a file without a role is found', () => {
  const files = [
    'src/automation/runs/helpers.ts',
    'src/automation/runs/runs.reads.ts',
    'src/automation/node-api/ports.ts',
  ];
  expect(withoutRole(files)).toEqual(['src/automation/runs/helpers.ts']);
});
