import type { Actor, Deps } from '#src/infra/deps.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { lockNamed } from '#src/infra/postgres/named-locks.ts';
import type { TenantReader } from '#src/infra/postgres/tenant-reader.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { auditedRetention } from './retention.declarations.ts';
import { updateRetentionInput } from './retention.inputs.ts';
import { defaultRetention, type Retention } from './retention.rules.ts';

export async function readRetention(db: TenantReader, tenantId: string): Promise<Retention> {
  return (await db.retentionSettings.findUnique({ where: { tenantId } })) ?? defaultRetention;
}

/** Changes the given settings. The next sweep permanently deletes what is now older than they allow. */
export async function updateRetention({ database }: Deps, actor: Actor, given: unknown): Promise<Retention> {
  const input = parseInput(updateRetentionInput, given);
  const { tenantId } = actor;
  return database.withTenant(tenantId, async (tx) => {
    // Concurrent changes wait for each other, so that the audit log records what each of them changed.
    await lockNamed(tx, `retention/${tenantId}`);
    const present = (await tx.retentionSettings.findUnique({ where: { tenantId } })) ?? defaultRetention;
    const changed = (['runDays', 'stepDays', 'logDays', 'auditDays'] as const).filter(
      (name) => input[name] !== undefined && input[name] !== present[name],
    );
    if (changed.length === 0) return present;
    const { runDays, stepDays, logDays, auditDays } = present;
    const changes = Object.fromEntries(changed.map((name) => [name, input[name] ?? null]));
    const data = { runDays, stepDays, logDays, auditDays, ...changes };
    const stored = await tx.retentionSettings.upsert({
      where: { tenantId },
      create: { tenantId, ...data },
      update: { ...data, updatedAt: new Date() },
    });
    const before = Object.fromEntries(changed.map((name) => [name, present[name]]));
    await recordAudit(tx, actor, {
      resource: auditedRetention,
      action: 'update',
      resourceId: tenantId,
      metadata: { changed, before, after: changes },
    });
    return stored;
  });
}
