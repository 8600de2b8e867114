import type { HttpSource } from '#prisma/client.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { assertHeadersStay, assertMayBeCalled } from '#src/infra/egress/url-fields.ts';
import { AppError, ConflictError, NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { lockNamed } from '#src/infra/postgres/named-locks.ts';
import { isUniqueViolation } from '#src/infra/postgres/sql-errors.ts';
import { createSealedTexts } from '#src/infra/vault/sealed-texts.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { auditedHttpSource } from './http-sources.declarations.ts';
import { createHttpSourceInput, sourcesPerTenant, updateHttpSourceInput } from './http-sources.inputs.ts';

export const sourceSecrets = createSealedTexts('http_sources');

/** Makes a source. ValidationError for settings that are not allowed, for example a `url` that may not be called. */
export async function createHttpSource(deps: Deps, actor: Actor, given: unknown): Promise<HttpSource> {
  const { name, url, headers } = parseInput(createHttpSourceInput, given);
  assertMayBeCalled(deps.egress, url);
  const { tenantId } = actor;
  return deps.database
    .withTenant(tenantId, async (tx) => {
      await requirePlace(tx, tenantId);
      const { id } = await tx.httpSource.create({ data: { tenantId, name, url }, select: { id: true } });
      const source = await tx.httpSource.update({
        where: { tenantId_id: { tenantId, id } },
        data: await sealHeaders(deps, tx, { tenantId, id }, headers ?? {}),
      });
      const metadata = { name, url };
      await recordAudit(tx, actor, { resource: auditedHttpSource, action: 'create', resourceId: id, metadata });
      return source;
    })
    .catch(nameTaken);
}

/**
 * Changes the members that are given. A null leaves a member as it is, except `headers`, which it clears. A URL on another server needs
 * headers of its own.
 */
export async function updateHttpSource(deps: Deps, actor: Actor, id: bigint, given: unknown): Promise<HttpSource> {
  const { headers, ...plain } = parseInput(updateHttpSourceInput, given);
  if (plain.url != null) assertMayBeCalled(deps.egress, plain.url);
  const { tenantId } = actor;
  return deps.database
    .withTenant(tenantId, async (tx) => {
      const before = await lockSource(tx, tenantId, id);
      if (plain.url != null && headers === undefined && before.headerNames.length > 0)
        assertHeadersStay({ before: before.url, after: plain.url });
      const changes = Object.fromEntries(
        Object.entries(plain).filter(([field, value]) => value != null && value !== before[field as keyof HttpSource]),
      );
      if (headers === undefined && Object.keys(changes).length === 0) return before;
      const sealed = headers === undefined ? {} : await sealHeaders(deps, tx, { tenantId, id }, headers ?? {});
      const source = await tx.httpSource.update({
        where: { tenantId_id: { tenantId, id } },
        data: { ...changes, ...sealed },
      });
      const changed = [...Object.keys(changes), ...(headers === undefined ? [] : ['headers'])];
      const metadata = { name: before.name, changed };
      await recordAudit(tx, actor, { resource: auditedHttpSource, action: 'update', resourceId: id, metadata });
      return source;
    })
    .catch(nameTaken);
}

/** Throws ConflictError while a schedule uses it. */
export async function deleteHttpSource({ database }: Deps, actor: Actor, id: bigint): Promise<void> {
  const { tenantId } = actor;
  await database.withTenant(tenantId, async (tx) => {
    const { name } = await lockSource(tx, tenantId, id);
    if ((await tx.transfer.count({ where: { tenantId, sourceId: id } })) > 0)
      throw new ConflictError('Schedules use the source. Delete them first, or give them another.');
    await tx.httpSource.delete({ where: { tenantId_id: { tenantId, id } } });
    const metadata = { name };
    await recordAudit(tx, actor, { resource: auditedHttpSource, action: 'delete', resourceId: id, metadata });
  });
}

const sealHeaders = async (
  deps: Deps,
  tx: TenantTx,
  key: { tenantId: string; id: bigint },
  headers: Record<string, string>,
) => ({ ...(await sourceSecrets.seal(deps, tx, key, headers)), headerNames: Object.keys(headers) });

async function lockSource(tx: TenantTx, tenantId: string, id: bigint): Promise<HttpSource> {
  await tx.query('SELECT FROM http_sources WHERE tenant_id = $1 AND id = $2 FOR UPDATE', [tenantId, id]);
  const source = await tx.httpSource.findUnique({ where: { tenantId_id: { tenantId, id } } });
  if (!source) throw new NotFoundError();
  return source;
}

async function requirePlace(tx: TenantTx, tenantId: string): Promise<void> {
  await lockNamed(tx, `http-sources/${tenantId}`);
  if ((await tx.httpSource.count({ where: { tenantId } })) < sourcesPerTenant) return;
  throw new AppError('UNPROCESSABLE', `A tenant has at most ${sourcesPerTenant} HTTP sources; delete one.`);
}

function nameTaken(error: unknown): never {
  if (isUniqueViolation(error)) throw new ValidationError({ name: ['The name has already been taken.'] });
  throw error;
}
