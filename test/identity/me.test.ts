import { expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { Caller, TestApp } from '#test/setup/app.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

const document = '{ me { tenants { slug name orgSlug } orgs { slug name } } }';

test.for<[string, Caller, string[], string[]]>([
  ['all of the organisation of the token', {}, ['acme-outlet', 'acme-shop'], ['acme']],
  ['those that the token is limited to', { tenants: ['acme-shop', 'other-shop'] }, ['acme-shop'], ['acme']],
  ['those of another organisation', { tenant: 'other-shop', org_id: 'other' }, ['other-shop'], ['other']],
  ['those of the token alone for an operator', { roles: ['operator'], org_id: 'other' }, ['other-shop'], ['other']],
  ['none of an organisation that is not there', { tenant: '', org_id: 'nobody' }, [], []],
  ['none without an organisation', { tenant: '', org_id: '' }, [], []],
])('me lists the tenants that may be entered: %s', async ([, caller, tenants, orgs]) => {
  interface Place {
    slug: string;
    name: string;
    orgSlug: string;
  }
  const { data, errors } = await api.graphql<{ me: { tenants: Place[]; orgs: Place[] } }>(document, {}, caller);
  expect(errors).toBeUndefined();
  expect(data.me.tenants.map(({ slug }) => slug)).toEqual(tenants);
  expect(data.me.orgs.map(({ slug }) => slug)).toEqual(orgs);
  for (const { orgSlug, name } of data.me.tenants) expect([orgSlug, name]).toEqual([orgs[0], expect.any(String)]);
});

test('an API key has no user, and so no tenants to choose from', async () => {
  const { errors } = await api.graphql(document, {}, { apiKey: await api.apiKey(['*']) });
  expect(errors?.[0]?.extensions?.code).toBe('FORBIDDEN');
});
