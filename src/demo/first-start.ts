import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { packNodePackage } from '@causeway/node-kit/pack';
import type { NodeDeps } from '#src/automation/node-api/node-deps.ts';
import { registerNodePackage } from '#src/automation/packages/node-packages.service.ts';
import type { RunQueue } from '#src/automation/runs/run-queue.service.ts';
import { createTrigger } from '#src/automation/triggers/triggers.service.ts';
import { createWorkflow } from '#src/automation/workflows/workflows.service.ts';
import { createOrg, createTenant } from '#src/identity/tenants.service.ts';
import { type Deps, systemActor } from '#src/infra/deps.ts';
import { ConflictError } from '#src/infra/errors.ts';
import { demoBlob, demoOrg, demoTenant, demoWorkflowName } from './demo-workflow.ts';
import { seedShop } from './seed-shop.ts';

const actor = systemActor(demoOrg.id, demoTenant.id);
const erpNodes = fileURLToPath(new URL('../../examples/erp-nodes', import.meta.url));
const buildWaitMs = 15_000;

/**
 * Creates the demo organisation, its tenant with a shop, the example's nodes and one workflow, unless they exist. Orders of the shop and a
 * webhook start the workflow. The next start completes an interrupted one; later changes and deletions by users are kept. Returns whether
 * anything was created.
 */
export async function seedDemo(deps: NodeDeps & RunQueue, options: { erpUrl: string }): Promise<boolean> {
  if (!(await wantsDemo(deps))) return false;
  await unlessThere(createOrg(deps.database, demoOrg));
  await unlessThere(createTenant(deps.database, demoOrg.id, demoTenant));
  await Promise.all([registerErpNodes(deps), seedShop(deps)]);
  const { id } = await createWorkflow(deps, actor, {
    name: demoWorkflowName,
    description:
      'An order of the shop, or one that arrives on the webhook, is created in the ERP over HTTP. The ERP acknowledges it.',
    blob: demoBlob(options.erpUrl),
  });
  await createTrigger(deps, actor, id, {
    type: 'event',
    name: 'Orders of the shop',
    config: { topics: ['order.created'] },
  });
  await createTrigger(deps, actor, id, { type: 'webhook', name: 'Orders of another shop' });
  return true;
}

/** True if there is no other organisation, and no workflow of the demo yet. In SQL, because every start asks. */
async function wantsDemo({ database }: Deps): Promise<boolean> {
  const { rows } = await database.system.query<{ wanted: boolean }>(
    `SELECT NOT EXISTS (SELECT FROM orgs WHERE id <> $1)
        AND NOT EXISTS (SELECT FROM workflows WHERE tenant_id = $2) AS wanted`,
    [demoOrg.id, demoTenant.id],
  );
  return rows[0]?.wanted === true;
}

const registerErpNodes = async (deps: Deps): Promise<unknown> =>
  registerNodePackage(deps, { orgId: demoOrg.id, archive: await packNodePackage(erpNodes) });

const unlessThere = (made: Promise<unknown>): Promise<unknown> =>
  made.catch((error: unknown) => {
    if (!(error instanceof ConflictError)) throw error;
  });

/** The handle of the demo workflow's webhook, while it exists. */
export async function demoHandle({ database }: Deps): Promise<string | undefined> {
  const { id: tenantId } = demoTenant;
  return database.withTenant(tenantId, async (tx) => {
    const workflow = { name: demoWorkflowName, deletedAt: null };
    const trigger = await tx.trigger.findFirst({ where: { tenantId, type: 'webhook', active: true, workflow } });
    return trigger?.handle;
  });
}

/** Waits, at most 15 s, until a worker has built the demo workflow; only then is a first start ready. */
export async function demoBuilt({ database }: Deps): Promise<void> {
  const { id: tenantId } = demoTenant;
  for (const deadline = Date.now() + buildWaitMs; Date.now() < deadline; await delay(50)) {
    const building = await database.withTenant(tenantId, (tx) =>
      tx.workflow.count({ where: { tenantId, bundleStatus: 'building', deletedAt: null } }),
    );
    if (building === 0) return;
  }
}
