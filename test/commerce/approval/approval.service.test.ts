import { describe, expect } from 'vitest';
import { requiredApproval, type OrderToApprove } from '#src/commerce/approval/approval.service.ts';
import { createContact, upsertCostCentre, upsertOrganization } from '#test/commerce/customers.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
let organizationId: bigint;
const contacts: Record<string, bigint> = {};
test.beforeAll(async ({ api: started }) => {
  api = started;
  const organization = await upsertOrganization(api, { customerNumber: 'C-1', name: 'Bauer KG' });
  organizationId = BigInt(organization.databaseId);
  for (const [name, approvalLimit] of [
    ['limited', '100.00'],
    ['free', null],
  ] as const) {
    const made = await createContact(api, {
      organizationId: organization.id,
      email: `${name}@example.com`,
      approvalLimit,
    });
    contacts[name] = BigInt(made.databaseId);
  }
  await upsertCostCentre(api, { organizationId: organization.id, code: 'IT', budget: '1000' });
  await upsertCostCentre(api, { organizationId: organization.id, code: 'OPEN' });
});

const tenantId = 'acme-shop';
const asked = (order: Partial<OrderToApprove>): OrderToApprove => ({
  organizationId,
  contactId: null,
  gross: '1',
  byCostCentre: new Map(),
  spentOn: async () => new Map(),
  ...order,
});
const approval = (order: Partial<OrderToApprove>) =>
  api.database.withTenant(tenantId, (tx) => requiredApproval(tx, tenantId, asked(order)));

describe('an order waits for an approval', () => {
  test.for<[string, string, string | null]>([
    ['limited', '100', null],
    ['limited', '100.0001', 'contact_limit'],
    ['free', '999999999999999999', null],
  ])('of a contact who is %s, for %s: %s', async ([name, gross, reason]) => {
    expect(await approval({ contactId: contacts[name] ?? null, gross })).toBe(reason);
  });

  test.for<[string, string, string, string | null]>([
    ['IT', '900', '100', null],
    ['IT', '900', '100.0001', 'cost_centre_budget'],
    ['IT', '0', '999999999999999999.0001', 'cost_centre_budget'],
    ['OPEN', '900', '100000', null],
    ['UNKNOWN', '900', '100000', null],
  ])('on cost centre %s, of which %s is spent, for %s: %s', async ([code, spent, gross, reason]) => {
    const given = { byCostCentre: new Map([[code, gross]]), spentOn: async () => new Map([[code, spent]]) };
    expect(await approval(given)).toBe(reason);
  });

  test('if two concurrent ones each fit into the rest of a budget, but not both', async () => {
    let spent = 0;
    const order = () =>
      api.database.withTenant(tenantId, async (tx) => {
        const reason = await requiredApproval(
          tx,
          tenantId,
          asked({
            byCostCentre: new Map([['IT', '600']]),
            spentOn: async () => new Map([['IT', String(spent)]]),
          }),
        );
        if (reason === null) spent += 600;
        return reason;
      });
    const reasons = await Promise.all([order(), order(), order()]);
    expect(reasons.filter((reason) => reason === null)).toHaveLength(1);
  });
});
