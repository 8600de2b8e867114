import type { Contact } from '#prisma/client.ts';
import { sameAmount } from '#src/commerce/amounts.rules.ts';
import { assertOwner } from '#src/commerce/data-owners.rules.ts';
import { findOrganization } from '#src/commerce/organizations/organizations.service.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { isUniqueViolation } from '#src/infra/postgres/sql-errors.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { publishEvent } from '#src/journal/outbox/outbox.ts';
import { auditedContact, contactCreated, contactData, contactUpdated } from './contacts.declarations.ts';
import { createContactInput, updateContactInput } from './contacts.inputs.ts';

/** The contact with this id, or null. */
export const findContact = (tx: TenantTx, tenantId: string, id: bigint): Promise<Contact | null> =>
  tx.contact.findUnique({ where: { tenantId_id: { tenantId, id } } });

/** Creates a contact. The shop owns its fields: ValidationError at each of them for an API key. */
export async function createContact(
  { database }: Deps,
  actor: Actor,
  organizationId: bigint,
  given: unknown,
): Promise<Contact> {
  const input = parseInput(createContactInput, given);
  assertOwner(actor, 'shop', input);
  const { tenantId } = actor;
  const { email, firstName = null, lastName = null, role = null, approvalLimit = null } = input;
  return refusingTakenEmail(() =>
    database.withTenant(tenantId, async (tx) => {
      if (!(await findOrganization(tx, tenantId, organizationId))) throw new NotFoundError();
      const contact = await tx.contact.create({
        data: { tenantId, organizationId, email, firstName, lastName, role, approvalLimit },
      });
      const metadata = { organization_id: Number(organizationId), email };
      await recordAudit(tx, actor, { resource: auditedContact, action: 'create', resourceId: contact.id, metadata });
      await publishEvent(tx, { tenantId, cause: actor, topic: contactCreated, data: contactData(contact) });
      return contact;
    }),
  );
}

/** Changes the given members. A change to the current values changes nothing: no event, and `updatedAt` stays. */
export async function updateContact({ database }: Deps, actor: Actor, id: bigint, given: unknown): Promise<Contact> {
  const input = parseInput(updateContactInput, given);
  assertOwner(actor, 'shop', input);
  const { tenantId } = actor;
  return refusingTakenEmail(() =>
    database.withTenant(tenantId, async (tx) => {
      const contact = await lockContact(tx, tenantId, id);
      const { email, firstName, lastName, role, approvalLimit } = input;
      const changes = {
        ...(email != null && email !== contact.email && { email }),
        ...(firstName !== undefined && firstName !== contact.firstName && { firstName }),
        ...(lastName !== undefined && lastName !== contact.lastName && { lastName }),
        ...(role !== undefined && role !== contact.role && { role }),
        ...(approvalLimit !== undefined && !sameAmount(approvalLimit, contact.approvalLimit) && { approvalLimit }),
      };
      if (Object.keys(changes).length === 0) return contact;
      const updated = await tx.contact.update({ where: { tenantId_id: { tenantId, id } }, data: changes });
      const metadata = { email: updated.email, changed: Object.keys(changes) };
      await recordAudit(tx, actor, { resource: auditedContact, action: 'update', resourceId: id, metadata });
      await publishEvent(tx, { tenantId, cause: actor, topic: contactUpdated, data: contactData(updated) });
      return updated;
    }),
  );
}

async function refusingTakenEmail<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new ValidationError({ email: ['The organization has a contact with this address.'] });
  }
}

/** Finds a contact of the tenant and locks it until the transaction ends. */
async function lockContact(tx: TenantTx, tenantId: string, id: bigint): Promise<Contact> {
  await tx.query('SELECT FROM contacts WHERE tenant_id = $1 AND id = $2 FOR NO KEY UPDATE', [tenantId, id]);
  const contact = await findContact(tx, tenantId, id);
  if (!contact) throw new NotFoundError();
  return contact;
}
