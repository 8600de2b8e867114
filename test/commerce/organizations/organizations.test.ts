import { describe, expect } from 'vitest';
import { actionsOn, findEvents, upsertOrganization, upsertOrganizationAsUser } from '#test/commerce/customers.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

const get = (path: string) => callPlatform(api, 'GET', path);
const address = { type: 'billing', street: 'Am Tor 1', postalCode: '04103', city: 'Leipzig', country: 'DE' };
const noPart = { type: null, name: null, street: null, postal_code: null, city: null, country: null };

describe('an organization', () => {
  test('is created by the ERP in the graph and read over both APIs', async () => {
    const made = await upsertOrganization(api, {
      customerNumber: 'C-1',
      name: 'Bauer KG',
      addresses: [address, { type: 'shipping' }],
      paymentTerms: '30 days net',
    });
    const { body } = await get(`/customers/organizations/${made.databaseId}`);
    expect(body).toEqual({
      id: made.databaseId,
      customer_number: 'C-1',
      name: 'Bauer KG',
      addresses: [
        {
          ...noPart,
          type: 'billing',
          street: 'Am Tor 1',
          postal_code: '04103',
          city: 'Leipzig',
          country: 'DE',
        },
        { ...noPart, type: 'shipping' },
      ],
      payment_terms: '30 days net',
      attributes: {},
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(await findEvents(api, 'organization', made.databaseId)).toEqual([['organization.created', body]]);
    const { data } = await api.graphql(
      'query ($id: ID!) { node(id: $id) { ... on Organization { customerNumber addresses { postalCode } } } }',
      { id: made.id },
    );
    expect(data).toEqual({
      node: { customerNumber: 'C-1', addresses: [{ postalCode: '04103' }, { postalCode: null }] },
    });
  });

  test('is changed by its number, keeps absent members, and is unchanged by an equal call', async () => {
    const given = { customerNumber: 'C-2', name: 'Same', addresses: [address], paymentTerms: 'Prepaid' };
    const made = await upsertOrganization<{ databaseId: number; updatedAt: string }>(api, given);
    expect(await upsertOrganization(api, given)).toEqual(made);
    expect(await upsertOrganization(api, { customerNumber: 'C-2' })).toEqual(made);
    expect(await upsertOrganization(api, { customerNumber: 'C-2', name: 'Renamed' })).toMatchObject({
      databaseId: made.databaseId,
      name: 'Renamed',
      addresses: [address],
      paymentTerms: 'Prepaid',
    });
    expect(await upsertOrganization(api, { customerNumber: 'C-2', addresses: [], paymentTerms: null })).toMatchObject({
      addresses: [],
      paymentTerms: null,
    });
    const topics = (await findEvents(api, 'organization', made.databaseId)).map(([topic]) => topic);
    expect(topics).toEqual(['organization.created', 'organization.updated', 'organization.updated']);
    expect(await actionsOn(api, 'organization', made.databaseId)).toEqual(['create', 'update', 'update']);
  });

  test('cannot be written by a user, who is refused at each given field', async () => {
    const messages = ['The ERP owns this field: write it with an API key.'];
    expect(await upsertOrganizationAsUser(api, { customerNumber: 'C-3', name: 'Mine', attributes: {} })).toEqual({
      code: 'VALIDATION_FAILED',
      message: expect.any(String),
      fields: [
        { path: 'customerNumber', messages },
        { path: 'name', messages },
        { path: 'attributes', messages },
      ],
    });
    expect((await get('/customers/organizations?customer_number=C-3')).body).toMatchObject({ items: [] });
  });

  test.for<[string, string, object]>([
    ['without a name where it is new', 'name', { customerNumber: 'NEW' }],
    ['with a blank number', 'customerNumber', { customerNumber: ' ', name: 'Blank' }],
    [
      'of 21 addresses',
      'addresses',
      { customerNumber: 'MANY', name: 'Many', addresses: Array.from({ length: 21 }, () => address) },
    ],
    [
      'with a long city',
      'addresses.0.city',
      { customerNumber: 'L', name: 'L', addresses: [{ city: 'x'.repeat(192) }] },
    ],
    ['with a NUL', 'name', { customerNumber: 'NUL', name: 'A\0B' }],
  ])('is refused %s, at %s', async ([_how, path, input]) => {
    expect(await upsertOrganization(api, input)).toMatchObject({ code: 'VALIDATION_FAILED', fields: [{ path }] });
  });

  test('is created once by concurrent calls', async () => {
    const made = await Promise.all(
      Array.from({ length: 6 }, () => upsertOrganization(api, { customerNumber: 'ONCE', name: 'Once' })),
    );
    expect(new Set(made.map(({ databaseId }) => databaseId)).size).toBe(1);
    expect(await findEvents(api, 'organization', made[0]?.databaseId ?? 0)).toHaveLength(1);
  });

  test('is listed newest first, or in the requested order, and polled by its last change', async () => {
    for (const number of ['L-2', 'L-3', 'L-1'])
      await upsertOrganization(api, { customerNumber: number, name: 'Listed' });
    const numbers = async (query: string) => {
      const { body } = await get(`/customers/organizations?search=listed${query}`);
      return (body['items'] as unknown as { customer_number: string }[]).map((row) => row.customer_number);
    };
    expect(await numbers('')).toEqual(['L-1', 'L-3', 'L-2']);
    expect(await numbers('&order=customer_number.asc&limit=2&offset=1')).toEqual(['L-2', 'L-3']);
    expect(await numbers('&customer_number=L-2')).toEqual(['L-2']);
    const { updatedAt } = await upsertOrganization<{ updatedAt: string }>(api, {
      customerNumber: 'L-3',
      paymentTerms: 'Changed last',
    });
    expect(await numbers(`&updated_since=${encodeURIComponent(updatedAt)}`)).toEqual(['L-3']);
  });
});
