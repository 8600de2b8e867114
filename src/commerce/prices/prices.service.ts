import type { Actor, Deps } from '#src/infra/deps.ts';
import { ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { publishEvent } from '#src/journal/outbox/outbox.ts';
import { auditedPrice, priceChanged, priceData } from './prices.declarations.ts';
import { upsertPriceInput } from './prices.inputs.ts';
import { findPriceByKey, type PriceRow } from './prices.reads.ts';
import { holdPriceList, type NewPrice, writePrice } from './prices.store.ts';
import { assertOpens } from './validity.rules.ts';

/**
 * Sets the price of a list, SKU, quantity and start of validity; an equal one changes nothing, and publishes no event. ValidationError at
 * `list` or `sku` if the tenant has no such list or product: a price of a mistyped SKU would never be found.
 */
export async function upsertPrice({ database }: Deps, actor: Actor, given: unknown): Promise<PriceRow> {
  const {
    list: code,
    quantityFrom,
    validFrom = null,
    validUntil = null,
    ...input
  } = parseInput(upsertPriceInput, given);
  assertOpens({ validFrom, validUntil });
  const { tenantId } = actor;
  return database.withTenant(tenantId, async (tx) => {
    const list = await holdPriceList(tx, tenantId, { code, sku: input.sku });
    if (!list) throw new ValidationError({ list: ['There is no price list of this code; make it first.'] });
    if (!list.isSold) throw new ValidationError({ sku: ['There is no product with this SKU; make it first.'] });
    const price: NewPrice = { ...input, listId: list.id, quantityFrom: quantityFrom ?? '1', validFrom, validUntil };
    const changed = await writePrice(tx, tenantId, price);
    if (!changed) return findPriceByKey(tx, tenantId, price);
    const data = priceData(changed);
    const { id: resourceId, ...metadata } = data;
    await recordAudit(tx, actor, { resource: auditedPrice, action: 'upsert', resourceId, metadata });
    await publishEvent(tx, { tenantId, cause: actor, topic: priceChanged, data });
    return changed;
  });
}
