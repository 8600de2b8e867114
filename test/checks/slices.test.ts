import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/**
 * The layer rule of folders compares one folder with another. A slice may have folders of its own (`runs/engine`), so circles of
 * whole slices, and of whole domains, are looked for here.
 */
const places: Record<string, RegExp> = {
  slices: /^src\/(?!infra\/|graphql\/|process\/|domains\/)[^/]+\/[^/]+(?=\/)/,
  // The list of domains imports them all, and each of them the type of its entry.
  domains: /^src\/(?!domains\/)[^/]+(?=\/)/,
};

const root = new URL('../../', import.meta.url).pathname;
const imports = globSync('src/**/*.ts', { cwd: root }).flatMap((file) =>
  [...readFileSync(root + file, 'utf8').matchAll(/\b(?:from|import\()\s*'#(src\/[^']+)'/g)].map(
    ([, to]) => [file, to as string] as const,
  ),
);

/** The places that import each other, directly or over others, each with what it imports of them. */
function circles(place: RegExp, files: readonly (readonly [from: string, to: string])[]): string[] {
  const at = (file: string): string => place.exec(file)?.[0] ?? '';
  let ties = [...new Set(files.map(([from, to]) => `${at(from)} -> ${at(to)}`))].map((tie) => tie.split(' -> '));
  ties = ties.filter(([from, to]) => from !== '' && to !== '' && from !== to);
  // Edges to or from folders without other edges are in no circle.
  for (let before = -1; before !== ties.length;) {
    before = ties.length;
    ties = ties.filter(([from, to]) => ties.some(([next]) => next === to) && ties.some(([, last]) => last === from));
  }
  return ties.map((tie) => tie.join(' -> ')).toSorted();
}

test.each(Object.entries(places))('no two %s import each other, directly or in a circle', (_, place) => {
  expect(imports.length).toBeGreaterThan(1_000);
  expect(circles(place, imports), 'Move what both need to where both can see it, or hand it in.').toEqual([]);
});

test('a circle is found, also through the folders of a slice', () => {
  const files = [
    ['src/automation/workflows/workflows.service.ts', 'src/automation/credentials/credentials.service.ts'],
    ['src/automation/credentials/credentials.service.ts', 'src/automation/workflows/blob/blob.rules.ts'],
    ['src/automation/templates/templates.service.ts', 'src/automation/workflows/workflows.service.ts'],
    ['src/automation/templates/templates.service.ts', 'src/infra/errors.ts'],
    ['src/automation/state/state.service.ts', 'src/commerce/orders/orders.rules.ts'],
    ['src/commerce/orders/orders.service.ts', 'src/automation/templates/templates.service.ts'],
  ] as const;
  expect(circles(places['slices'] as RegExp, files)).toEqual([
    'src/automation/credentials -> src/automation/workflows',
    'src/automation/workflows -> src/automation/credentials',
  ]);
  expect(circles(places['domains'] as RegExp, files)).toEqual([
    'src/automation -> src/commerce',
    'src/commerce -> src/automation',
  ]);
});
