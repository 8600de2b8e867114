import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { cruise, type ICruiseOptions, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser';
import { afterAll, beforeAll, expect, test } from 'vitest';

/**
 * One module that breaks the rule: where it stands, and what it imports. Imported files of the project are made. `folder` is
 * what a rule of folders names.
 */
const violations: Record<string, { file: string; imports: string; folder?: string }> = {
  'infra-knows-no-domain': { file: 'src/infra/postgres/database.ts', imports: '#src/automation/runs/runs.rules.ts' },
  'configuration-is-passed-in': { file: 'src/automation/runs/runs.access.ts', imports: '#src/process/env.ts' },
  'one-way-to-the-database': { file: 'src/automation/runs/runs.service.ts', imports: 'pg' },
  'generated-client-is-for-types': { file: 'src/app.ts', imports: '../prisma/generated/client.ts' },
  'one-queue': { file: 'workers/automation/runs.worker.ts', imports: 'pg-boss' },
  'one-way-out': { file: 'workers/automation/webhooks.worker.ts', imports: 'undici' },
  'inputs-hold-schemas': { file: 'src/commerce/orders/orders.inputs.ts', imports: 'ajv' },
  'rules-are-pure': { file: 'src/commerce/orders/orders.rules.ts', imports: 'node:fs/promises' },
  'access-decides-before-services': {
    file: 'src/commerce/orders/orders.access.ts',
    imports: '#src/commerce/orders/orders.service.ts',
  },
  'statements-decide-nothing': {
    file: 'src/commerce/orders/orders.store.ts',
    imports: '#src/commerce/orders/orders.service.ts',
  },
  'declarations-decide-nothing': {
    file: 'src/commerce/orders/orders.declarations.ts',
    imports: '#src/commerce/orders/orders.service.ts',
  },
  'slices-know-no-face': { file: 'src/themes/blocks/blocks.service.ts', imports: '#src/graphql/builder.ts' },
  'context-is-a-type-below-the-graph': {
    file: 'src/themes/blocks/blocks.access.ts',
    imports: '#src/graphql/context.ts',
  },
  'nouns-refer-by-name': {
    file: 'src/automation/runs/runs.graphql.ts',
    imports: '#src/automation/workflows/workflows.graphql.ts',
  },
  'resolvers-translate': { file: 'src/automation/steps/steps.graphql.ts', imports: '#src/infra/postgres/database.ts' },
  'nothing-imports-workers': { file: 'src/app.ts', imports: '#workers/main.ts' },
  'workers-know-no-face': { file: 'workers/automation/steps.worker.ts', imports: '#src/schema.ts' },
  'graph-knows-no-domain': { file: 'src/graphql/context.ts', imports: '#src/identity/tokens.ts' },
  'rest-stands-on-the-graph': {
    file: 'rest-compat/automation/runs.routes.ts',
    imports: '#src/automation/runs/runs.service.ts',
  },
  'rest-holds-no-use-case': {
    file: 'rest-compat/automation/package-images.bytes.ts',
    imports: '#src/infra/postgres/database.ts',
  },
  'rest-is-mounted-once': { file: 'src/graphql/plugins/use-rest.ts', imports: '#rest/router.ts' },
  'console-stands-on-the-graph': { file: 'console/commerce/orders/totals.ts', imports: '#src/infra/ids.ts' },
  'server-reads-the-console-as-data': { file: 'src/console/bundle.ts', imports: '#console/shell/nouns.ts' },
  'console-ui-knows-no-noun': { file: 'console/ui/table.tsx', imports: '#console/commerce/orders/totals.ts' },
  'console-nouns-stand-alone': {
    file: 'console/commerce/orders/totals.ts',
    imports: '#console/commerce/prices/chain.ts',
  },
  'console-nouns-are-listed-once': { file: 'console/shell/frame.tsx', imports: '#console/commerce/orders/totals.ts' },
  'built-in-nodes-are-handed-in': {
    file: 'src/automation/workflows/progress.rules.ts',
    imports: '#src/automation/core-nodes/core-nodes.ts',
  },
  'imports-know-no-noun': {
    file: 'src/imports/profiles/row-reader.rules.ts',
    imports: '#src/commerce/stock/stock.inputs.ts',
  },
  'themes-know-no-other-domain': {
    file: 'src/themes/themes/themes.service.ts',
    imports: '#src/commerce/products/products.service.ts',
  },
  'the-demo-is-optional': { file: 'src/automation/workflows/workflows.service.ts', imports: '#src/demo/demo-shop.ts' },
  'domains-are-listed-for-the-start': { file: 'workers/relay/relay.ts', imports: '#src/domains/domains.ts' },
  'no-circular': { file: 'src/infra/ids.ts', imports: './ids.ts' },
  // The other way round stands under `nouns-refer-by-name`.
  'no-folder-circle': {
    file: 'src/automation/workflows/workflows.reads.ts',
    imports: '#src/automation/runs/runs.reads.ts',
    folder: 'src/automation/workflows',
  },
  'no-orphans': { file: 'src/infra/lonely.ts', imports: '' },
  'product-imports-no-test-code': { file: 'src/schema.ts', imports: '#test/setup/server.ts' },
  'product-runs-on-dependencies': { file: 'bin/causeway.ts', imports: 'fast-check' },
  'dependencies-are-declared': { file: 'test/setup/server.ts', imports: 'estree-walker' },
  'imports-resolve': { file: 'test/missing.test.ts', imports: 'no-such-package' },
};

const repository = resolve(import.meta.dirname, '../..');
const { default: config } = (await import(join(repository, '.dependency-cruiser.mjs'))) as {
  default: { forbidden: (IForbiddenRuleType & { name: string; comment: string })[]; options: ICruiseOptions };
};
const aliases: [string, string][] = [
  ['#src/', 'src/'],
  ['#workers/', 'workers/'],
  ['#rest/', 'rest-compat/'],
  ['#test/', 'test/'],
  ['#console/', 'console/'],
];
let directory = '';
let found: Set<string>;

/** The project file that a specifier names, or undefined for a package or a builtin. */
const resolveFile = (specifier: string): string | undefined => {
  if (specifier.startsWith('../')) return specifier.slice(3);
  const alias = aliases.find(([prefix]) => specifier.startsWith(prefix));
  return alias ? alias[1] + specifier.slice(alias[0].length) : undefined;
};

const write = async (path: string, text: string): Promise<void> => {
  await mkdir(dirname(join(directory, path)), { recursive: true });
  await writeFile(join(directory, path), text, { flag: 'a' });
};

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'causeway-layers-'));
  await symlink(join(repository, 'node_modules'), join(directory, 'node_modules'));
  for (const name of ['package.json', 'tsconfig.json']) await symlink(join(repository, name), join(directory, name));
  for (const { file, imports } of Object.values(violations)) {
    await write(file, imports === '' ? 'export {};\n' : `export * as it from '${imports}';\n`);
    const target = resolveFile(imports);
    if (target !== undefined) await write(target, 'export const value = 1;\n');
  }
  const ruleSet = { forbidden: config.forbidden };
  const { output } = await cruise(['.'], { ...config.options, ruleSet, validate: true, baseDir: directory });
  const { summary } = output as ICruiseResult;
  found = new Set(summary.violations.map(({ rule, from }) => `${rule.name}: ${from}`));
});

afterAll(() => rm(directory, { recursive: true, force: true }));

test('every layer rule has a reason and a violation that proves that it can fail', () => {
  expect(config.forbidden.map(({ name }) => name).toSorted()).toEqual(Object.keys(violations).toSorted());
  for (const { comment } of config.forbidden) expect(comment.length).toBeGreaterThan(40);
});

test.each(Object.entries(violations))('%s refuses its violation', (name, { file, folder }) => {
  expect(found).toContain(`${name}: ${folder ?? file}`);
});
