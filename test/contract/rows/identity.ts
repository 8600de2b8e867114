import { invalid, areaRows, text } from '#test/contract/contract-row.ts';
import * as shapes from '#test/contract/shapes.ts';

export const authRows = areaRows('Auth', [
  { method: 'GET', path: '/me', who: 'authenticated', answers: { status: 200, body: shapes.me } },
]);

export const adminRows = areaRows('Organisations and tenants', [
  { method: 'GET', path: '/admin/orgs', who: 'operator', answers: { status: 200, body: shapes.data(shapes.org) } },
  {
    method: 'POST',
    path: '/admin/orgs',
    who: 'operator',
    ask: ({ name }) => ({ body: { id: name('org'), name: 'Org' } }),
    answers: { status: 201, body: shapes.org },
    refuses: [
      { when: 'the id is taken', ask: () => ({ body: { id: 'acme', name: 'Again' } }), status: 409, body: {} },
      {
        when: 'the id is not of the pattern',
        ask: () => ({ body: { id: 'Acme!', name: 'No' } }),
        status: 422,
        body: invalid('id'),
      },
    ],
    limits: [
      {
        what: 'an id of 63 characters',
        field: 'id',
        edge: ({ name }) => ({ body: { id: name('o').padEnd(63, 'x'), name: 'Org' } }),
        past: ({ name }) => ({ body: { id: name('o').padEnd(64, 'x'), name: 'Org' } }),
      },
    ],
  },
  {
    method: 'GET',
    path: '/admin/orgs/{org_id}/tenants',
    who: 'operator',
    ask: () => ({ params: { org_id: 'acme' } }),
    answers: { status: 200, body: shapes.data(shapes.tenant) },
    refuses: [{ when: 'there is no such org', ask: () => ({ params: { org_id: 'none' } }), status: 404, body: {} }],
  },
  {
    method: 'POST',
    path: '/admin/orgs/{org_id}/tenants',
    who: 'operator',
    ask: ({ name }) => ({ params: { org_id: 'acme' }, body: { id: name('shop'), name: 'Shop' } }),
    answers: { status: 201, body: shapes.tenant },
    refuses: [
      {
        when: 'the id is taken',
        ask: () => ({ params: { org_id: 'acme' }, body: { id: 'acme-shop', name: 'Again' } }),
        status: 409,
        body: {},
      },
      {
        when: 'there is no such org',
        ask: ({ name }) => ({ params: { org_id: 'none' }, body: { id: name('shop'), name: 'Shop' } }),
        status: 404,
        body: {},
      },
    ],
    limits: [
      {
        what: 'a name of 191 characters',
        field: 'name',
        edge: ({ name }) => ({ params: { org_id: 'acme' }, body: { id: name('shop'), name: text(191) } }),
        past: ({ name }) => ({ params: { org_id: 'acme' }, body: { id: name('shop'), name: text(192) } }),
      },
    ],
  },
]);
