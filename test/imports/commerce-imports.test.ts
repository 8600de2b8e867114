import { describe, expect } from 'vitest';
import { priceChanged } from '#src/commerce/prices/prices.declarations.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { importFile, makeProfile, readRejects, tellOfImports } from './import-file.ts';

let api: TestApp;
test.beforeAll(async ({ api: started }) => {
  api = started;
  for (const target of ['products', 'prices', 'organizations', 'contacts'])
    await makeProfile(api, { name: target, target });
});

/** What events of a topic told, in order. */
async function told(topic: string): Promise<unknown[]> {
  const { rows } = await api.database.system.query<{ data: unknown }>(
    'SELECT data FROM outbox_events WHERE topic = $1 ORDER BY id',
    [topic],
  );
  return rows.map(({ data }) => data);
}

const items = async (path: string) => (await callPlatform(api, 'GET', path)).body['items'] as unknown as object[];

test('a file of products creates no product with an SKU that a URL cannot hold', async () => {
  const job = await importFile(api, 'sku,name\n..,Folded away\n . ,Folded away\n...,Kept\n', 'products');
  expect(job).toMatchObject({ status: 'completed', rows_written: 1, rows_rejected: 2 });
  expect(await readRejects(api, job)).toEqual([
    '2,sku,..,A URL cannot name `.` or `..`: use another SKU.',
    '3,sku, . ,A URL cannot name `.` or `..`: use another SKU.',
  ]);
});

describe('a file of prices', () => {
  test('writes the rows of its lists, and rejects rows that no list accepts', async () => {
    await api.graphql(
      'mutation { createPriceList(input: { code: "EU", name: "Europe", currency: "EUR" }) { __typename } }',
    );
    for (const sku of ['MUG-1', 'MUG-2', 'MUG-3'])
      await api.graphql(
        'mutation ($sku: String!) { createProduct(input: { sku: $sku, name: "Mug" }) { __typename } }',
        { sku },
      );
    const file = [
      'list,sku,quantity_from,amount,currency,valid_from,valid_until',
      'EU,MUG-1,,10.00,EUR,,',
      'EU,MUG-1,10,9.5,,2026-01-01,2027-01-01T00:00:00+01:00',
      'EU,MUG-1,1.0,8,,,',
      'US,MUG-1,1,8,,,',
      'EU,MUG-2,1,8,USD,,',
      'EU,MUG-2,1,8,EUR,2026-01-01,2025-01-01',
      'EU,MUG-9,1,8,,,',
      'EU,MUG-3,0,8,,,',
      'EU,MUG-3,1,1.00001,,2026-02-30,',
    ].join('\n');
    const hook = { name: 'ERP', url: 'https://erp.example.com/hooks', topics: ['price.changed'] };
    await callPlatform(api, 'POST', '/webhooks/destinations', { body: hook });
    const job = await importFile(api, file, 'prices');
    expect(job).toMatchObject({ status: 'completed', rows_read: 9, rows_written: 2, rows_rejected: 7 });
    expect(await readRejects(api, job)).toEqual([
      '4,valid_from,,Line 2 names the same record. Keep one of the two.',
      '5,list,US,There is no price list of this code; make it first.',
      '6,currency,USD,The currency of the list is another one.',
      '7,valid_until,2025-01-01T00:00:00.000Z,Use a later end than the start.',
      '8,sku,MUG-9,There is no product with this SKU; make it first.',
      '9,quantity_from,0,Use more than 0.',
      '10,amount,1.00001,Use at most 18 digits before and 4 after the decimal separator.',
      '10,valid_from,2026-02-30,"Use an instant such as 2026-01-31T00:00:00Z, or a date such as 2026-01-31."',
    ]);
    // Each is told as it was written, whatever has become of it.
    await importFile(api, 'list,sku,amount\nEU,MUG-1,11\n', 'prices');
    await importFile(api, 'list,sku,amount\nEU,MUG-1,10.00\n', 'prices');
    await tellOfImports(api);
    expect(await told('price.changed')).toEqual([
      expect.objectContaining({ list: 'EU', sku: 'MUG-1', quantity_from: '1', amount: '10.00', valid_from: null }),
      expect.objectContaining({
        quantity_from: '10',
        amount: '9.5',
        currency: 'EUR',
        valid_from: '2026-01-01T00:00:00.000Z',
        valid_until: '2026-12-31T23:00:00.000Z',
      }),
      expect.objectContaining({ quantity_from: '1', amount: '11' }),
      expect.objectContaining({ quantity_from: '1', amount: '10.00' }),
    ]);
    for (const event of await told('price.changed')) priceChanged.data.parse(event);
    const again = await importFile(api, file, 'prices');
    expect(again).toMatchObject({ rows_written: 0, rows_unchanged: 2, rows_rejected: 7 });
    await tellOfImports(api);
    expect(await told('price.changed')).toHaveLength(4);
  });
});

describe('files of customers', () => {
  test('create and change organizations, then their contacts', async () => {
    await api.graphql(
      `mutation { upsertOrganization(input: { customerNumber: "C-1", name: "Before", paymentTerms: "30 days",
        addresses: [{ type: "billing", street: "Main 1", postalCode: "8000" }] }) { __typename } }`,
      {},
      { apiKey: await api.apiKey(['*']) },
    );
    const first = await importFile(
      api,
      'customer_number,name,payment_terms\nC-1,After,\nC-2,New,10 days\n',
      'organizations',
    );
    expect(first).toMatchObject({ rows_written: 2 });
    const organizations = await items('/customers/organizations?order=created_at.asc');
    expect(organizations).toEqual([
      expect.objectContaining({ customer_number: 'C-1', name: 'After', payment_terms: '30 days' }),
      expect.objectContaining({ customer_number: 'C-2', name: 'New', payment_terms: '10 days', addresses: [] }),
    ]);
    expect(await told('organization.updated')).toEqual([organizations[0]]);
    expect((await told('organization.created')).at(-1)).toEqual(organizations[1]);

    const file =
      'customer_number,email,first_name,role\nC-1,Ann@Example.com,Ann,buyer\nC-9,x@example.com,,\nC-1,ann,,\n';
    const contacts = await importFile(api, file, 'contacts');
    expect(contacts).toMatchObject({ rows_written: 1, rows_rejected: 2 });
    expect(await readRejects(api, contacts)).toEqual([
      '3,customer_number,C-9,There is no organization of this customer number; import it first.',
      '4,email,ann,Use an e-mail address.',
    ]);
    const [contact] = await items('/customers/contacts');
    expect(contact).toMatchObject({ email: 'ann@example.com', first_name: 'Ann', last_name: null, role: 'buyer' });
    expect(await told('contact.created')).toEqual([contact]);
    const second = await importFile(api, 'customer_number,email,last_name\nC-1,ann@example.com,Smith\n', 'contacts');
    expect(second).toMatchObject({ rows_written: 1 });
    expect(await told('contact.updated')).toEqual([
      expect.objectContaining({ first_name: 'Ann', last_name: 'Smith', role: 'buyer' }),
    ]);
    expect(await importFile(api, 'customer_number,name\nC-1,After\nC-2,New\n', 'organizations')).toMatchObject({
      rows_unchanged: 2,
    });
  });
});
