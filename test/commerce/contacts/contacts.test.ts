import { describe, expect } from 'vitest';
import {
  actionsOn,
  createContact,
  erpKey,
  findEvents,
  updateContact,
  upsertOrganization,
} from '#test/commerce/customers.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
let organizationId: string;
let organizationNumber: number;
test.beforeAll(async ({ api: started }) => {
  api = started;
  const made = await upsertOrganization(api, { customerNumber: 'C-1', name: 'Bauer KG' });
  ({ id: organizationId, databaseId: organizationNumber } = made);
});

const get = (path: string) => callPlatform(api, 'GET', path);

describe('a contact', () => {
  test('is created by the shop and read over both APIs', async () => {
    const made = await createContact(api, {
      organizationId,
      email: 'Ada@Example.com',
      firstName: 'Ada',
      lastName: 'Bauer',
      role: 'buyer',
      approvalLimit: '500.50',
    });
    const { body } = await get(`/customers/contacts/${made.databaseId}`);
    expect(body).toEqual({
      id: made.databaseId,
      organization_id: organizationNumber,
      email: 'ada@example.com',
      first_name: 'Ada',
      last_name: 'Bauer',
      role: 'buyer',
      approval_limit: '500.5',
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(await findEvents(api, 'contact', made.databaseId)).toEqual([['contact.created', body]]);
    const { data } = await api.graphql(
      'query ($id: ID!) { node(id: $id) { ... on Contact { email organization { customerNumber } } } }',
      { id: made.id },
    );
    expect(data).toEqual({ node: { email: 'ada@example.com', organization: { customerNumber: 'C-1' } } });
  });

  test('is changed only in given members, and unchanged by equal values', async () => {
    const { id, databaseId } = await createContact(api, {
      organizationId,
      email: 'kim@example.com',
      lastName: 'Kim',
      approvalLimit: '10',
    });
    const before = await updateContact(api, { id, role: 'approver' });
    expect(before).toMatchObject({ email: 'kim@example.com', lastName: 'Kim', role: 'approver', approvalLimit: '10' });
    expect(
      await updateContact(api, { id, role: 'approver', approvalLimit: '10.00', email: 'KIM@example.com' }),
    ).toEqual(before);
    expect(await updateContact(api, { id, lastName: null, approvalLimit: null })).toMatchObject({
      lastName: null,
      approvalLimit: null,
    });
    const topics = (await findEvents(api, 'contact', databaseId)).map(([topic]) => topic);
    expect(topics).toEqual(['contact.created', 'contact.updated', 'contact.updated']);
    expect(await actionsOn(api, 'contact', databaseId)).toEqual(['create', 'update', 'update']);
  });

  test('cannot be written by an API key, which is refused at each given field', async () => {
    const key = await erpKey(api);
    const messages = ['The shop owns this field: write it as a user.'];
    expect(await createContact(api, { organizationId, email: 'erp@example.com', role: 'buyer' }, key)).toMatchObject({
      code: 'VALIDATION_FAILED',
      fields: [
        { path: 'email', messages },
        { path: 'role', messages },
      ],
    });
    const { id } = await createContact(api, { organizationId, email: 'shop@example.com' });
    expect(await updateContact(api, { id, approvalLimit: '1' }, key)).toMatchObject({
      fields: [{ path: 'approvalLimit', messages }],
    });
    expect((await get('/customers/contacts?search=erp@')).body).toMatchObject({ items: [] });
  });

  test('has a unique address within its organization', async () => {
    await createContact(api, { organizationId, email: 'one@example.com' });
    const { id } = await createContact(api, { organizationId, email: 'two@example.com' });
    const taken = { fields: [{ path: 'email', messages: ['The organization has a contact with this address.'] }] };
    expect(await createContact(api, { organizationId, email: 'ONE@example.com' })).toMatchObject(taken);
    expect(await updateContact(api, { id, email: 'one@example.com' })).toMatchObject(taken);
    const other = await upsertOrganization(api, { customerNumber: 'C-2', name: 'Other' });
    const there = await createContact(api, { organizationId: other.id, email: 'one@example.com' });
    expect(there).toMatchObject({ email: 'one@example.com', organizationId: other.databaseId });
  });

  test.for<[string, object]>([
    ['email', { email: 'nobody' }],
    ['approvalLimit', { email: 'a@example.com', approvalLimit: '-1' }],
    ['approvalLimit', { email: 'a@example.com', approvalLimit: '1e3' }],
    ['approvalLimit', { email: 'a@example.com', approvalLimit: '0.00001' }],
  ])('is refused at %s: %j', async ([path, input]) => {
    expect(await createContact(api, { organizationId, ...input })).toMatchObject({ fields: [{ path }] });
  });

  test('belongs to an existing organization', async () => {
    expect(await createContact(api, { organizationId: '999999', email: 'a@example.com' })).toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test('is listed with its organization and over REST by it', async () => {
    const { id, databaseId } = await upsertOrganization(api, { customerNumber: 'C-LIST', name: 'Listed' });
    for (const name of ['b', 'c', 'a']) await createContact(api, { organizationId: id, email: `${name}@list.example` });
    const { data } = await api.graphql(
      `query ($id: ID!) { organization(id: $id) {
        contacts(first: 2, orderBy: { field: EMAIL, direction: ASC }) { totalCount edges { node { email } } }
      } }`,
      { id },
    );
    const node = (email: string) => ({ node: { email: `${email}@list.example` } });
    expect(data).toEqual({ organization: { contacts: { totalCount: 3, edges: [node('a'), node('b')] } } });
    const { body } = await get(`/customers/contacts?organization_id=${databaseId}&limit=2&offset=1`);
    expect(body).toMatchObject({ total: 3, items: [{ email: 'c@list.example' }, { email: 'b@list.example' }] });
    expect((await get('/customers/contacts?organization_id=x')).body).toMatchObject({
      errors: { organization_id: [expect.any(String)] },
    });
  });
});
