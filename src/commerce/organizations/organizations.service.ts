import type { z } from 'zod';
import type { Organization, Prisma } from '#prisma/client.ts';
import type { AttributeValues } from '#src/commerce/attributes/attribute-values.rules.ts';
import { readAttributes } from '#src/commerce/attributes/attributes.service.ts';
import { assertOwner } from '#src/commerce/data-owners.rules.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { ConflictError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { sameJson } from '#src/infra/json.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { publishEvent } from '#src/journal/outbox/outbox.ts';
import {
  auditedOrganization,
  organizationCreated,
  organizationData,
  organizationUpdated,
} from './organizations.declarations.ts';
import { upsertOrganizationInput } from './organizations.inputs.ts';

type Given = z.output<typeof upsertOrganizationInput>;

/** The organization with this id, or null. */
export const findOrganization = (tx: TenantTx, tenantId: string, id: bigint): Promise<Organization | null> =>
  tx.organization.findUnique({ where: { tenantId_id: { tenantId, id } } });

/**
 * Creates the organization of a customer number, or changes its given members. A change to the current values changes nothing: no event,
 * and `updatedAt` stays. The ERP owns its fields: ValidationError at each of them for a user.
 */
export async function upsertOrganization({ database }: Deps, actor: Actor, given: unknown): Promise<Organization> {
  const input = parseInput(upsertOrganizationInput, given);
  assertOwner(actor, 'erp', input);
  return database.withTenant(actor.tenantId, async (tx) => {
    const found = await lockOrganization(tx, actor.tenantId, input.customerNumber);
    if (found) return change(tx, actor, found, input);
    const made = await make(tx, actor, input);
    if (made) return made;
    // Another call has created it in the meantime.
    const theirs = await lockOrganization(tx, actor.tenantId, input.customerNumber);
    if (!theirs) throw new ConflictError('The organization was made and removed at the same time; send it again.');
    return change(tx, actor, theirs, input);
  });
}

async function make(tx: TenantTx, actor: Actor, input: Given): Promise<Organization | undefined> {
  const { customerNumber, name, addresses, paymentTerms = null } = input;
  if (name == null) throw new ValidationError({ name: ['Give a new organization a name.'] });
  const { tenantId } = actor;
  const attributes = await attributesAfter(tx, tenantId, input);
  const [made] = await tx.organization.createManyAndReturn({
    data: { tenantId, customerNumber, name, addresses: addresses ?? [], paymentTerms, attributes },
    skipDuplicates: true,
  });
  if (!made) return undefined;
  const metadata = { customer_number: customerNumber, name };
  await recordAudit(tx, actor, { resource: auditedOrganization, action: 'create', resourceId: made.id, metadata });
  await publishEvent(tx, { tenantId, cause: actor, topic: organizationCreated, data: organizationData(made) });
  return made;
}

async function change(tx: TenantTx, actor: Actor, found: Organization, input: Given): Promise<Organization> {
  const { tenantId, id, customerNumber } = found;
  const { name, addresses, paymentTerms } = input;
  const attributes = await attributesAfter(tx, tenantId, input, found);
  const changes = {
    ...(name != null && name !== found.name && { name }),
    ...(addresses != null && !sameJson(addresses, found.addresses) && { addresses }),
    ...(paymentTerms !== undefined && paymentTerms !== found.paymentTerms && { paymentTerms }),
    ...(attributes !== found.attributes && { attributes }),
  };
  if (Object.keys(changes).length === 0) return found;
  const changed = await tx.organization.update({ where: { tenantId_id: { tenantId, id } }, data: changes });
  const metadata = { customer_number: customerNumber, changed: Object.keys(changes) };
  await recordAudit(tx, actor, { resource: auditedOrganization, action: 'update', resourceId: id, metadata });
  await publishEvent(tx, { tenantId, cause: actor, topic: organizationUpdated, data: organizationData(changed) });
  return changed;
}

const attributesAfter = async (tx: TenantTx, tenantId: string, { attributes }: Given, before?: Organization) =>
  (await readAttributes(
    tx,
    tenantId,
    'organization',
    attributes,
    before?.attributes as AttributeValues | undefined,
  )) as Prisma.JsonObject;

/** Finds the organization of a customer number and locks it until the transaction ends. */
async function lockOrganization(tx: TenantTx, tenantId: string, customerNumber: string): Promise<Organization | null> {
  await tx.query('SELECT FROM organizations WHERE tenant_id = $1 AND customer_number = $2 FOR NO KEY UPDATE', [
    tenantId,
    customerNumber,
  ]);
  return tx.organization.findUnique({ where: { tenantId_customerNumber: { tenantId, customerNumber } } });
}
