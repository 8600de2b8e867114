import type { z } from 'zod';
import type { CostCentre } from '#prisma/client.ts';
import { sameAmount } from '#src/commerce/amounts.rules.ts';
import { assertOwner } from '#src/commerce/data-owners.rules.ts';
import { findOrganization } from '#src/commerce/organizations/organizations.service.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { ConflictError, NotFoundError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { auditedCostCentre } from './cost-centres.declarations.ts';
import { upsertCostCentreInput } from './cost-centres.inputs.ts';

interface Key {
  tenantId: string;
  organizationId: bigint;
  code: string;
}

/**
 * Creates the cost centre of a code, or changes its given members. The shop owns its fields: ValidationError at each of them for an API
 * key.
 */
export async function upsertCostCentre(
  { database }: Deps,
  actor: Actor,
  organizationId: bigint,
  given: unknown,
): Promise<CostCentre> {
  const input = parseInput(upsertCostCentreInput, given);
  assertOwner(actor, 'shop', input);
  const { tenantId } = actor;
  const key = { tenantId, organizationId, code: input.code };
  return database.withTenant(tenantId, async (tx) => {
    if (!(await findOrganization(tx, tenantId, organizationId))) throw new NotFoundError();
    const { name = null, budget = null } = input;
    const [made] = await tx.costCentre.createManyAndReturn({ data: { ...key, name, budget }, skipDuplicates: true });
    if (!made) return change(tx, actor, key, input);
    const metadata = { organization_id: Number(organizationId), code: key.code };
    await recordAudit(tx, actor, { resource: auditedCostCentre, action: 'create', resourceId: made.id, metadata });
    return made;
  });
}

async function change(
  tx: TenantTx,
  actor: Actor,
  key: Key,
  { name, budget }: z.output<typeof upsertCostCentreInput>,
): Promise<CostCentre> {
  const { tenantId, organizationId, code } = key;
  await tx.query('SELECT FROM cost_centres WHERE tenant_id = $1 AND organization_id = $2 AND code = $3 FOR UPDATE', [
    tenantId,
    organizationId,
    code,
  ]);
  const found = await tx.costCentre.findUnique({ where: { tenantId_organizationId_code: key } });
  if (!found) throw new ConflictError('The cost centre was removed at the same time; send it again.');
  const changes = {
    ...(name !== undefined && name !== found.name && { name }),
    ...(budget !== undefined && !sameAmount(budget, found.budget) && { budget }),
  };
  if (Object.keys(changes).length === 0) return found;
  const { id } = found;
  const changed = await tx.costCentre.update({ where: { tenantId_id: { tenantId, id } }, data: changes });
  const metadata = { code, changed: Object.keys(changes) };
  await recordAudit(tx, actor, { resource: auditedCostCentre, action: 'update', resourceId: id, metadata });
  return changed;
}
