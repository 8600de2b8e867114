import { afterAll, beforeAll, expect, test } from 'vitest';
import { demoHandle, seedDemo } from '#examples/demo/first-start.ts';
import { registerBuiltinPackages } from '#src/automation/packages/builtin-packages.service.ts';
import { deleteWorkflow } from '#src/automation/workflows/workflows.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { startTestApp, type TestApp } from '#test/setup/app.ts';

const erpUrl = 'http://127.0.0.1:4010';
let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  await registerBuiltinPackages(app.deps);
});
afterAll(() => app.close());

const workflows = () => app.database.withTenant('demo', (tx) => tx.workflow.findMany());

test('nothing is made beside organisations of somebody else', async () => {
  expect(await seedDemo(app.deps, { erpUrl })).toBe(false);
  expect(await app.database.global.org.count({ where: { id: 'demo-org' } })).toBe(0);
});

test('an empty database gets the demo once, with a webhook to fire it', async () => {
  await app.database.global.tenant.deleteMany();
  await app.database.global.org.deleteMany();
  expect(await seedDemo(app.deps, { erpUrl })).toBe(true);
  expect(await seedDemo(app.deps, { erpUrl })).toBe(false);
  const [workflow, ...more] = await workflows();
  expect(more).toEqual([]);
  expect(JSON.stringify(workflow?.blob)).toContain(erpUrl);
  expect(await demoHandle(app.deps)).toMatch(/^[0-9a-f-]{36}$/);
});

test('a start that stopped before the workflow is completed by the next', async () => {
  await app.database.withTenant('demo', async (tx) => {
    await tx.trigger.deleteMany();
    await tx.workflow.deleteMany();
  });
  expect(await seedDemo(app.deps, { erpUrl })).toBe(true);
  expect(await workflows()).toHaveLength(1);
});

test('a demo that was deleted stays deleted', async () => {
  const [workflow] = await workflows();
  await deleteWorkflow(app.deps, systemActor('demo-org', 'demo'), workflow?.id ?? 0n);
  expect(await seedDemo(app.deps, { erpUrl })).toBe(false);
  expect(await demoHandle(app.deps)).toBeUndefined();
});
