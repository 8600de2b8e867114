import type { CommerceSettings } from '#prisma/client.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { lockNamed } from '#src/infra/postgres/named-locks.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { auditedCommerceSettings } from './settings.declarations.ts';
import { updateCommerceSettingsInput } from './settings.inputs.ts';

export type Settings = Omit<CommerceSettings, 'tenantId' | 'updatedAt'>;

/** The settings of a tenant that has changed none. The columns have the same defaults. */
export const defaultSettings: Settings = {
  creditWorkflowId: null,
  creditTimeoutMs: 5_000,
  creditFallback: 'hold',
  priceStrategy: 'priority',
  taxRounding: 'line',
};

export async function readCommerceSettings(database: Database, tenantId: string): Promise<Settings> {
  const [row] = await database.tenantQuery<Omit<Settings, 'creditWorkflowId'> & { creditWorkflowId: number | null }>(
    tenantId,
    {
      name: 'commerce-settings',
      text: `SELECT credit_workflow_id AS "creditWorkflowId", credit_timeout_ms AS "creditTimeoutMs",
             credit_fallback AS "creditFallback", price_strategy AS "priceStrategy", tax_rounding AS "taxRounding"
           FROM commerce_settings WHERE tenant_id = $1`,
      values: [tenantId],
    },
  );
  if (!row) return defaultSettings;
  return { ...row, creditWorkflowId: row.creditWorkflowId === null ? null : BigInt(row.creditWorkflowId) };
}

/** Changes the given settings. `creditWorkflowId`: null runs no workflow, undefined leaves it unchanged. */
export async function updateCommerceSettings(
  { database }: Deps,
  actor: Actor,
  { creditWorkflowId, ...given }: { creditWorkflowId?: bigint | null | undefined },
): Promise<Settings> {
  const input = parseInput(updateCommerceSettingsInput, given);
  const { tenantId } = actor;
  return database.withTenant(tenantId, async (tx) => {
    // Concurrent changes wait for each other, so that the audit log records what each of them changed.
    await lockNamed(tx, `commerce-settings/${tenantId}`);
    const stored = await tx.commerceSettings.findUnique({
      where: { tenantId },
      omit: { tenantId: true, updatedAt: true },
    });
    const present = stored ?? defaultSettings;
    if (creditWorkflowId != null) {
      const found = await tx.workflow.count({ where: { tenantId, id: creditWorkflowId, deletedAt: null } });
      if (found === 0) throw new ValidationError({ creditWorkflowId: ['There is no such workflow.'] });
    }
    const { creditTimeoutMs, creditFallback, priceStrategy, taxRounding } = input;
    const after: Settings = {
      creditWorkflowId: creditWorkflowId === undefined ? present.creditWorkflowId : creditWorkflowId,
      creditTimeoutMs: creditTimeoutMs ?? present.creditTimeoutMs,
      creditFallback: creditFallback ?? present.creditFallback,
      priceStrategy: priceStrategy ?? present.priceStrategy,
      taxRounding: taxRounding ?? present.taxRounding,
    };
    const changed = (Object.keys(after) as (keyof Settings)[]).filter((name) => after[name] !== present[name]);
    if (changed.length === 0) return present;
    await tx.commerceSettings.upsert({ where: { tenantId }, create: { tenantId, ...after }, update: after });
    const shown = (settings: Settings) =>
      Object.fromEntries(changed.map((name) => [name, settings[name] === null ? null : String(settings[name])]));
    await recordAudit(tx, actor, {
      resource: auditedCommerceSettings,
      action: 'update',
      resourceId: tenantId,
      metadata: { before: shown(present), after: shown(after) },
    });
    return after;
  });
}
