import type { PriceList } from '#prisma/client.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { AppError, NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { lockNamed } from '#src/infra/postgres/named-locks.ts';
import { isUniqueViolation } from '#src/infra/postgres/sql-errors.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { createPriceListInput, updatePriceListInput } from './price-lists.inputs.ts';
import { auditedPriceList } from './prices.declarations.ts';
import { assertOpens, isSameInstant } from './validity.rules.ts';

/** Every trace names every list, so this bounds the size of a resolution. */
export const priceListsPerTenant = 2_000;

/** Creates a price list. ValidationError at `code` if the tenant has one with that code. */
export async function createPriceList({ database }: Deps, actor: Actor, given: unknown): Promise<PriceList> {
  const { priority, taxIncluded, ...input } = parseInput(createPriceListInput, given);
  const { validFrom = null, validUntil = null, code, currency } = input;
  assertOpens({ validFrom, validUntil });
  const { tenantId } = actor;
  try {
    return await database.withTenant(tenantId, async (tx) => {
      await requirePlace(tx, tenantId);
      const list = await tx.priceList.create({
        data: { ...input, tenantId, priority: priority ?? 0, taxIncluded: taxIncluded ?? false },
      });
      const metadata = { code, currency, taxIncluded: list.taxIncluded };
      await recordAudit(tx, actor, { resource: auditedPriceList, action: 'create', resourceId: list.id, metadata });
      return list;
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw new ValidationError({ code: ['The code has already been taken.'] });
    throw error;
  }
}

/** Changes the given members. A change to the current values changes nothing, and `updatedAt` stays. */
export async function updatePriceList(
  { database }: Deps,
  actor: Actor,
  id: bigint,
  given: unknown,
): Promise<PriceList> {
  const { code, currency, taxIncluded, ...input } = parseInput(updatePriceListInput, given);
  const { tenantId } = actor;
  return database.withTenant(tenantId, async (tx) => {
    const list = await lockPriceList(tx, tenantId, id);
    if (code != null && code !== list.code) {
      throw new ValidationError({ code: ['The code of a price list is fixed; make another list.'] });
    }
    if (currency != null && currency !== list.currency) {
      throw new ValidationError({ currency: ['The currency of a price list is fixed; make another list.'] });
    }
    if (taxIncluded != null && taxIncluded !== list.taxIncluded) {
      throw new ValidationError({
        taxIncluded: ['Whether the prices of a price list include the tax is fixed; make another list.'],
      });
    }
    const { name, priority, customer, channel, market, validFrom, validUntil } = input;
    const changes = {
      ...(name != null && name !== list.name && { name }),
      ...(priority != null && priority !== list.priority && { priority }),
      ...(customer !== undefined && customer !== list.customer && { customer }),
      ...(channel !== undefined && channel !== list.channel && { channel }),
      ...(market !== undefined && market !== list.market && { market }),
      ...(validFrom !== undefined && !isSameInstant(validFrom, list.validFrom) && { validFrom }),
      ...(validUntil !== undefined && !isSameInstant(validUntil, list.validUntil) && { validUntil }),
    };
    if (Object.keys(changes).length === 0) return list;
    assertOpens({ ...list, ...changes });
    const updated = await tx.priceList.update({ where: { tenantId_id: { tenantId, id } }, data: changes });
    const metadata = { code: list.code, changed: Object.keys(changes) };
    await recordAudit(tx, actor, { resource: auditedPriceList, action: 'update', resourceId: id, metadata });
    return updated;
  });
}

/** Deletes a price list with its prices. */
export async function deletePriceList({ database }: Deps, actor: Actor, id: bigint): Promise<void> {
  const { tenantId } = actor;
  await database.withTenant(tenantId, async (tx) => {
    const { code } = await lockPriceList(tx, tenantId, id);
    await tx.priceList.delete({ where: { tenantId_id: { tenantId, id } } });
    await recordAudit(tx, actor, {
      resource: auditedPriceList,
      action: 'delete',
      resourceId: id,
      metadata: { code },
    });
  });
}

/** Finds a price list of the tenant and locks it until the transaction ends. */
async function lockPriceList(tx: TenantTx, tenantId: string, id: bigint): Promise<PriceList> {
  await tx.query('SELECT FROM price_lists WHERE tenant_id = $1 AND id = $2 FOR UPDATE', [tenantId, id]);
  const list = await tx.priceList.findUnique({ where: { tenantId_id: { tenantId, id } } });
  if (!list) throw new NotFoundError();
  return list;
}

/** Serialises creations of one tenant, so that the limit is exact. */
async function requirePlace(tx: TenantTx, tenantId: string): Promise<void> {
  await lockNamed(tx, `price-lists/${tenantId}`);
  if ((await tx.priceList.count({ where: { tenantId } })) < priceListsPerTenant) return;
  throw new AppError(
    'UNPROCESSABLE',
    `A tenant has at most ${priceListsPerTenant} price lists. Delete those that have ended.`,
  );
}
