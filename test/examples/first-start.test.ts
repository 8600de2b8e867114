import { expect } from 'vitest';
import { demoHandle, seedDemo } from '#examples/demo/first-start.ts';
import { registerBuiltinPackages } from '#src/automation/packages/builtin-packages.service.ts';
import { deleteWorkflow } from '#src/automation/workflows/workflows.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

const erpUrl = 'http://127.0.0.1:4010';
let api: TestApp;
test.beforeAll(async ({ api: started }) => {
  api = started;
  await registerBuiltinPackages(api.deps);
});

const workflows = () => api.database.withTenant('demo', (tx) => tx.workflow.findMany());

test('nothing is made beside organisations of somebody else', async () => {
  expect(await seedDemo(api.deps, { erpUrl })).toBe(false);
  expect(await api.database.global.org.count({ where: { id: 'demo-org' } })).toBe(0);
});

test('an empty database gets the demo once, with a webhook to fire it', async () => {
  await api.database.global.tenant.deleteMany();
  await api.database.global.org.deleteMany();
  expect(await seedDemo(api.deps, { erpUrl })).toBe(true);
  expect(await seedDemo(api.deps, { erpUrl })).toBe(false);
  const [workflow, ...more] = await workflows();
  expect(more).toEqual([]);
  expect(JSON.stringify(workflow?.blob)).toContain(erpUrl);
  expect(await demoHandle(api.deps)).toMatch(/^[0-9a-f-]{36}$/);
});

test('a start that stopped before the workflow is completed by the next', async () => {
  await api.database.withTenant('demo', async (tx) => {
    await tx.trigger.deleteMany();
    await tx.workflow.deleteMany();
  });
  expect(await seedDemo(api.deps, { erpUrl })).toBe(true);
  expect(await workflows()).toHaveLength(1);
});

test('a demo that was deleted stays deleted', async () => {
  const [workflow] = await workflows();
  await deleteWorkflow(api.deps, systemActor('demo-org', 'demo'), workflow?.id ?? 0n);
  expect(await seedDemo(api.deps, { erpUrl })).toBe(false);
  expect(await demoHandle(api.deps)).toBeUndefined();
});
