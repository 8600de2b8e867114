import { expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import { makeWorkflow } from '#test/setup/runs.ts';

const fields = 'creditWorkflowId creditTimeoutMs creditFallback priceStrategy taxRounding';
const defaults = {
  creditWorkflowId: null,
  creditTimeoutMs: 5000,
  creditFallback: 'HOLD',
  priceStrategy: 'PRIORITY',
  taxRounding: 'LINE',
};

test('commerce settings have defaults, change individually, and belong to one tenant', async ({ api }) => {
  const read = async (tenant: string) =>
    (await api.graphql(`{ commerceSettings { ${fields} } }`, {}, { tenant })).data['commerceSettings'];
  const update = async (input: object) =>
    (
      await api.graphql(
        `mutation ($input: UpdateCommerceSettingsInput!) { updateCommerceSettings(input: $input) {
          ... on UpdateCommerceSettingsPayload { commerceSettings { ${fields} } }
          ... on ValidationError { fields { path } }
        } }`,
        { input },
      )
    ).data['updateCommerceSettings'];
  expect(await read('acme-shop')).toEqual(defaults);

  const workflow = await makeWorkflow(api.deps, 'acme-shop', 'Credit');
  const changed = { ...defaults, creditWorkflowId: workflow, creditFallback: 'REFUSE' };
  expect(await update({ creditWorkflowId: String(workflow), creditFallback: 'REFUSE' })).toEqual({
    commerceSettings: changed,
  });
  expect(await update({ taxRounding: 'TOTAL' })).toEqual({ commerceSettings: { ...changed, taxRounding: 'TOTAL' } });
  expect(await update({ creditWorkflowId: null, taxRounding: 'LINE' })).toEqual({
    commerceSettings: { ...changed, creditWorkflowId: null },
  });
  expect(await read('acme-shop')).toEqual({ ...changed, creditWorkflowId: null });
  expect(await read('acme-outlet')).toEqual(defaults);

  const foreign = await makeWorkflow(api.deps, 'acme-outlet', 'Foreign');
  expect(await update({ creditWorkflowId: String(foreign) })).toEqual({ fields: [{ path: 'creditWorkflowId' }] });
  expect(await update({ creditTimeoutMs: 99 })).toEqual({ fields: [{ path: 'creditTimeoutMs' }] });
});
