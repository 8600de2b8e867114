import type { TenantSecret } from '#prisma/client.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { lockNamed } from '#src/infra/postgres/named-locks.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { auditedSecret } from './secrets.declarations.ts';
import { putSecretInput, secretKeyPattern, secretLimits } from './secrets.inputs.ts';
import { secretPlace } from './secrets.reads.ts';

/** The visible part of a secret. */
export type SecretListing = Pick<TenantSecret, 'key' | 'createdAt' | 'updatedAt'>;

const listed = { key: true, createdAt: true, updatedAt: true } as const;
/** The secrets of these keys, in any order. */
export const listSecrets = ({ database }: Deps, tenantId: string, keys: string[]): Promise<SecretListing[]> =>
  database.reader(tenantId).tenantSecret.findMany({ where: { tenantId, key: { in: keys } }, select: listed });

export async function findSecret({ database }: Deps, { tenantId }: Actor, key: string): Promise<SecretListing | null> {
  if (!secretKeyPattern.test(key)) return null;
  return database
    .reader(tenantId)
    .tenantSecret.findUnique({ where: { tenantId_key: { tenantId, key } }, select: listed });
}

/** Creates a secret or replaces its value; `made` says which. Throws a ValidationError for an invalid key or value. */
export async function putSecret(
  deps: Deps,
  actor: Actor,
  given: unknown,
): Promise<{ secret: SecretListing; made: boolean }> {
  const { key, value } = parseInput(putSecretInput, given);
  // Before anything can fail and be logged.
  deps.redactor.add(value);
  const { tenantId } = actor;
  return deps.database.withTenant(tenantId, async (tx) => {
    // One at a time per tenant: two callers that both counted 999 must not both create one.
    await lockNamed(tx, `secrets/${tenantId}`);
    const where = { tenantId_key: { tenantId, key } };
    const found = await tx.tenantSecret.findUnique({ where, select: { key: true } });
    if (!found && (await tx.tenantSecret.count({ where: { tenantId } })) >= secretLimits.number) {
      throw new ValidationError({ key: [`A tenant has at most ${secretLimits.number} secrets; delete one first.`] });
    }
    const { bytes, keyVersion } = await deps.vault.seal(tx, 'secrets', secretPlace(tenantId, key), value);
    const sealed = { value: bytes, keyVersion };
    const secret = found
      ? await tx.tenantSecret.update({ where, data: sealed, select: listed })
      : await tx.tenantSecret.create({ data: { tenantId, key, ...sealed }, select: listed });
    await recordAudit(tx, actor, { resource: auditedSecret, action: found ? 'update' : 'create', resourceId: key });
    return { secret, made: !found };
  });
}

export async function deleteSecret({ database }: Deps, actor: Actor, key: string): Promise<void> {
  if (!secretKeyPattern.test(key)) throw new NotFoundError();
  const { tenantId } = actor;
  await database.withTenant(tenantId, async (tx) => {
    const { count } = await tx.tenantSecret.deleteMany({ where: { tenantId, key } });
    if (count === 0) throw new NotFoundError();
    await recordAudit(tx, actor, { resource: auditedSecret, action: 'delete', resourceId: key });
  });
}
