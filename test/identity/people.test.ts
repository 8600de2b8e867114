import { expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';

interface Found {
  people: { name: string; email: string | null }[];
}

test('the people of a tenant are those who entered it with a role, by name', async ({ api }) => {
  const enter = (claims: { sub: string; name?: string; email?: string; roles?: string[] }, tenant = 'acme-shop') =>
    api.graphql('{ me { user { id } } }', {}, { roles: ['user'], ...claims, tenant });
  await enter({ sub: 'bob', email: 'bob@acme.example' });
  await enter({ sub: 'ada', name: 'Ada', email: 'ada@acme.example' });
  await enter({ sub: 'dan', name: 'Dan of another tenant' }, 'acme-outlet');
  await enter({ sub: 'eve', name: 'Eve without a role', roles: [] });
  const find = async (search: string | null) => {
    const { data } = await api.graphql<Found>('query ($search: String) { people(search: $search) { name email } }', {
      search,
    });
    return data.people;
  };
  const names = (await find(null)).map(({ name }) => name);
  expect(names.filter((name) => ['Ada', 'bob@acme.example'].includes(name))).toEqual(['Ada', 'bob@acme.example']);
  expect(await find('BOB')).toEqual([{ name: 'bob@acme.example', email: 'bob@acme.example' }]);
  expect(await find('%')).toEqual([]);
  expect(await find('Dan')).toEqual([]);
  expect(await find('Eve')).toEqual([]);
});
