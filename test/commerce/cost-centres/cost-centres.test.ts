import { expect } from 'vitest';
import { actionsOn, erpKey, upsertCostCentre, upsertOrganization } from '#test/commerce/customers.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
let organizationId: string;
test.beforeAll(async ({ api: started }) => {
  api = started;
  ({ id: organizationId } = await upsertOrganization(api, { customerNumber: 'C-1', name: 'Bauer KG' }));
});

test('a cost centre is created and changed by its code, and unchanged by equal values', async () => {
  const made = await upsertCostCentre(api, { organizationId, code: 'IT', name: 'Computers', budget: '1000.50' });
  expect(made).toMatchObject({ code: 'IT', name: 'Computers', budget: '1000.5' });
  expect(await upsertCostCentre(api, { organizationId, code: 'IT', budget: '1000.5' })).toEqual(made);
  expect(await upsertCostCentre(api, { organizationId, code: 'IT', budget: null })).toMatchObject({
    id: made.id,
    name: 'Computers',
    budget: null,
  });
  expect(await actionsOn(api, 'cost_centre', made.databaseId)).toEqual(['create', 'update']);
});

test('a cost centre is owned by the shop: a key is refused at each given field', async () => {
  const refused = await upsertCostCentre(api, { organizationId, code: 'ERP', budget: '5' }, await erpKey(api));
  const messages = ['The shop owns this field: write it as a user.'];
  expect(refused).toMatchObject({
    fields: [
      { path: 'code', messages },
      { path: 'budget', messages },
    ],
  });
});

test('a cost centre needs an existing organization and a budget of zero or more', async () => {
  expect(await upsertCostCentre(api, { organizationId: '999999', code: 'IT' })).toMatchObject({ code: 'NOT_FOUND' });
  expect(await upsertCostCentre(api, { organizationId, code: 'NEG', budget: '-1' })).toMatchObject({
    fields: [{ path: 'budget' }],
  });
});

test('cost centres are listed by code, of one organization or of all', async () => {
  const { id } = await upsertOrganization(api, { customerNumber: 'C-LIST', name: 'Listed' });
  for (const code of ['B', 'A']) await upsertCostCentre(api, { organizationId: id, code });
  const { data } = await api.graphql(
    `query ($id: ID!) {
      costCentres(filter: { organizationId: $id }) { edges { node { code organization { customerNumber } } } }
      organization(id: $id) { costCentres(first: 1) { totalCount edges { node { code } } } }
    }`,
    { id },
  );
  const organization = { customerNumber: 'C-LIST' };
  expect(data).toEqual({
    costCentres: { edges: ['A', 'B'].map((code) => ({ node: { code, organization } })) },
    organization: { costCentres: { totalCount: 2, edges: [{ node: { code: 'A' } }] } },
  });
});
