import {
  auditedCredential,
  credentialExpired,
  credentialRevoked,
} from '#src/automation/credentials/credentials.declarations.ts';
import type { CredentialKey } from '#src/automation/credentials/credentials.store.ts';
import { type Deps, systemActor } from '#src/infra/deps.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { publishEvent } from '#src/journal/outbox/outbox.ts';
import { endStatus, lockGrant } from './grants.store.ts';

/**
 * Ends a grant: as `expired` when its known expiry has passed, as `revoked` otherwise. Applies only to the version seen and
 * the holder of `lease`; returns undefined when another process has replaced the grant or may be about to.
 */
export async function endGrant(
  { database }: Deps,
  key: CredentialKey,
  seen: { version: number; lease: string | null; reason: string },
): Promise<'expired' | 'revoked' | undefined> {
  const { tenantId, id } = key;
  return database.withTenant(tenantId, async (tx) => {
    const row = await lockGrant(tx, key);
    if (!row || row.version !== seen.version || row.lease !== seen.lease) return undefined;
    const end = row.expiresAt !== null && row.expiresAt <= row.now ? row.expiresAt : null;
    const status = end === null ? 'revoked' : 'expired';
    // For an expired grant, the notice is published here unless it was already.
    if (!(await endStatus(tx, key, status))) return undefined;
    const { orgId } = await tx.tenant.findUniqueOrThrow({ where: { id: tenantId }, select: { orgId: true } });
    const { reason } = seen;
    await recordAudit(tx, systemActor(orgId, tenantId), {
      action: 'update',
      resource: auditedCredential,
      resourceId: id,
      metadata: { oauth: status, reason },
    });
    const data = { credential_id: Number(id), name: row.name, credential_type_slug: row.typeSlug };
    if (end === null) await publishEvent(tx, { tenantId, topic: credentialRevoked, data });
    else if (!row.isExpiryPublished) {
      const ended = { ...data, expires_at: end.toISOString(), days_left: 0 };
      await publishEvent(tx, { tenantId, topic: credentialExpired, data: ended });
    }
    return status;
  });
}
