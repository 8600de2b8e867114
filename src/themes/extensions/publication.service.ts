import type { Deps, Principal } from '#src/infra/deps.ts';
import { ConflictError, NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import type { SystemTx } from '#src/infra/postgres/database.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { publishEvent, publishEvents } from '#src/journal/outbox/outbox.ts';
import {
  auditedExtension,
  extensionData,
  extensionPublished,
  extensionRejected,
  extensionWithdrawn,
} from './extensions.declarations.ts';
import { rejectExtensionInput, withdrawExtensionInput } from './extensions.inputs.ts';
import { lockExtension, type OwnedExtension, setStatus, tenantsWith } from './extensions.store.ts';

/** Lets every tenant install a public version. ConflictError for a private one, and for a withdrawn one. */
export async function publishExtension({ database }: Deps, principal: Principal, id: bigint): Promise<void> {
  await database.withSystem(async (tx) => {
    const extension = await lockPublic(tx, id);
    if (extension.status === 'published') return;
    if (extension.status !== 'draft')
      throw new ConflictError(`It was ${extension.status}, which is final. Register another version.`);
    const published = { ...extension, status: 'published' as const };
    await setStatus(tx, published);
    await audit(tx, principal, published, 'publish');
    const data = extensionData(published);
    await publishEvent(tx, { tenantId: extension.tenantId, topic: extensionPublished, data });
  });
}

/** Refuses to publish a public draft, for good: its owner reads why, and registers another version. ConflictError if it was published. */
export async function rejectExtension(
  { database }: Deps,
  principal: Principal,
  id: bigint,
  given: unknown,
): Promise<void> {
  const { reason } = parseInput(rejectExtensionInput, given);
  await database.withSystem(async (tx) => {
    const extension = await lockPublic(tx, id);
    if (extension.status === 'rejected') return;
    if (extension.status !== 'draft')
      throw new ConflictError(`It was ${extension.status} before; a version that was published is withdrawn.`);
    const rejected = { ...extension, status: 'rejected' as const, reason };
    await setStatus(tx, rejected);
    await audit(tx, principal, rejected, 'reject');
    const data = { ...extensionData(rejected), reason };
    await publishEvent(tx, { tenantId: extension.tenantId, topic: extensionRejected, data });
  });
}

/**
 * Withdraws a published version for good: nobody can install it again. Installations continue to work, or with `block` stop immediately,
 * for a reason that those tenants see. A withdrawn version may be blocked later.
 */
export async function withdrawExtension(
  { database }: Deps,
  principal: Principal,
  id: bigint,
  given: unknown,
): Promise<void> {
  const { block, reason } = parseInput(withdrawExtensionInput, given);
  const blocked = block === true;
  if (blocked && reason == null) {
    throw new ValidationError({ reason: ['Give the reason; the tenants that have it installed are shown it.'] });
  }
  await database.withSystem(async (tx) => {
    if (blocked) tx.expireLeases();
    const extension = await lockPublic(tx, id);
    if (extension.status === 'draft' || extension.status === 'rejected')
      throw new ConflictError('It has not been published, so there is nothing to withdraw.');
    if (extension.status === 'withdrawn' && extension.blocked >= blocked) return;
    const withdrawn = { ...extension, status: 'withdrawn' as const, blocked, reason: reason ?? extension.reason };
    await setStatus(tx, withdrawn);
    await audit(tx, principal, withdrawn, 'withdraw');
    const tenants = new Set([extension.tenantId, ...(await tenantsWith(tx, extension.id))]);
    const data = { ...extensionData(withdrawn), blocked, reason: withdrawn.reason };
    await publishEvents(
      tx,
      [...tenants].map((tenantId) => ({ tenantId, topic: extensionWithdrawn, data })),
    );
  });
}

async function lockPublic(tx: SystemTx, id: bigint): Promise<OwnedExtension> {
  const extension = await lockExtension(tx, id);
  if (!extension) throw new NotFoundError();
  if (extension.type === 'private') {
    throw new ConflictError(
      'It is private: its owner alone installs it, and it is neither published, rejected nor withdrawn.',
    );
  }
  return extension;
}

/** Written to the log of its owner, because an operator acts in no tenant. */
function audit(
  tx: SystemTx,
  principal: Principal,
  extension: OwnedExtension,
  action: 'publish' | 'reject' | 'withdraw',
) {
  const { id: resourceId, orgId, tenantId, vendor, name, version, blocked, reason } = extension;
  const why = { publish: {}, reject: { reason }, withdraw: { blocked, reason } }[action];
  const metadata = { vendor, name, version, ...why };
  return recordAudit(
    tx,
    { ...principal, orgId, tenantId },
    { resource: auditedExtension, action, resourceId, metadata },
  );
}
