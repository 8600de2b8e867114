import { expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import { haveTheme, run } from '#test/themes/theme-calls.ts';

interface Answer {
  themes: { edges: { node: { version: string; installation: { theme: { version: string } } | null } }[] };
}

test('the list of themes says which version the tenant has', async ({ api }) => {
  await run(api, 'registerTheme', { theme: 'acme/starter', version: '2.0.0', title: 'Starter' });
  await haveTheme(api, '2.1.0');
  const list = async (filter: object, as: object = {}) => {
    const { data } = await api.graphql<Answer>(
      `query ($filter: ThemeFilter) {
        themes(filter: $filter) { edges { node { version installation { theme { version } } } } }
      }`,
      { filter },
      as,
    );
    return data.themes.edges.map(({ node }) => [node.version, node.installation?.theme.version ?? null]);
  };
  expect(await list({ search: 'STARTER' })).toEqual([
    ['2.1.0', '2.1.0'],
    ['2.0.0', null],
  ]);
  expect(await list({ vendor: 'acme', name: 'starter' }, { tenant: 'acme-outlet' })).toEqual([
    ['2.1.0', null],
    ['2.0.0', null],
  ]);
  // An operator has no tenant, and in one may not read what it installed.
  expect(await list({}, { tenant: null, roles: ['operator'] })).toContainEqual(['2.1.0', null]);
  expect(await list({}, { roles: ['operator'] })).toContainEqual(['2.1.0', null]);
  expect(await list({ vendor: 'nobody' })).toEqual([]);
});
