import type { Prisma, Product } from '#prisma/client.ts';
import type { AttributeValues } from '#src/commerce/attributes/attribute-values.rules.ts';
import { readAttributes } from '#src/commerce/attributes/attributes.service.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { isUniqueViolation } from '#src/infra/postgres/sql-errors.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { publishEvent } from '#src/journal/outbox/outbox.ts';
import {
  auditedProduct,
  productCreated,
  productData,
  productDeleted,
  productUpdated,
} from './products.declarations.ts';
import { createProductInput, updateProductInput, upsertProductInput } from './products.inputs.ts';

/** Creates a product. ValidationError at `sku` if the tenant has one with that SKU. */
export async function createProduct({ database }: Deps, actor: Actor, input: unknown): Promise<Product> {
  const { sku, name, description = null, active, taxRate, ...given } = parseInput(createProductInput, input);
  const { tenantId } = actor;
  try {
    return await database.withTenant(tenantId, async (tx) => {
      const attributes = await attributesAfter(tx, tenantId, given.attributes);
      const product = await tx.product.create({
        data: { tenantId, sku, name, description, active: active ?? true, taxRate: taxRate ?? '0', attributes },
      });
      const resourceId = product.id;
      await recordAudit(tx, actor, { resource: auditedProduct, action: 'create', resourceId, metadata: { sku, name } });
      await publishEvent(tx, { tenantId, cause: actor, topic: productCreated, data: productData(product) });
      return product;
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw new ValidationError({ sku: ['The SKU has already been taken.'] });
    throw error;
  }
}

/** Changes the given members. A change to the current values changes nothing: no event, and `updatedAt` stays. */
export async function updateProduct({ database }: Deps, actor: Actor, id: bigint, given: unknown): Promise<Product> {
  const input = parseInput(updateProductInput, given);
  const { tenantId } = actor;
  return database.withTenant(tenantId, async (tx) => {
    const product = await lockProduct(tx, tenantId, id);
    if (input.sku != null && input.sku !== product.sku) {
      throw new ValidationError({ sku: ['The SKU of a product is fixed; make another product.'] });
    }
    const { name, description, active, taxRate } = input;
    const attributes = await attributesAfter(tx, tenantId, input.attributes, product);
    const changes = {
      ...(name != null && name !== product.name && { name }),
      ...(description !== undefined && description !== product.description && { description }),
      ...(active != null && active !== product.active && { active }),
      ...(taxRate != null && !product.taxRate.equals(taxRate) && { taxRate }),
      ...(attributes !== product.attributes && { attributes }),
    };
    if (Object.keys(changes).length === 0) return product;
    const updated = await tx.product.update({ where: { tenantId_id: { tenantId, id } }, data: changes });
    const metadata = { sku: product.sku, changed: Object.keys(changes) };
    await recordAudit(tx, actor, { resource: auditedProduct, action: 'update', resourceId: id, metadata });
    await publishEvent(tx, { tenantId, cause: actor, topic: productUpdated, data: productData(updated) });
    return updated;
  });
}

/** Creates the product of a SKU, or changes its given members. ValidationError at `name` if a new one has none. */
export async function upsertProduct(deps: Deps, actor: Actor, given: unknown): Promise<Product> {
  const { sku, ...input } = parseInput(upsertProductInput, given);
  const { tenantId } = actor;
  const find = () => deps.database.reader(tenantId).product.findUnique({ where: { tenantId_sku: { tenantId, sku } } });
  const found = await find();
  if (found) return updateProduct(deps, actor, found.id, input);
  if (input.name == null) throw new ValidationError({ name: ['Give a new product a name.'] });
  try {
    return await createProduct(deps, actor, { ...input, sku });
  } catch (error) {
    const made = error instanceof ValidationError && 'sku' in error.fields ? await find() : null;
    if (!made) throw error;
    // Another call has created it in the meantime.
    return updateProduct(deps, actor, made.id, input);
  }
}

export async function deleteProduct({ database }: Deps, actor: Actor, id: bigint): Promise<void> {
  const { tenantId } = actor;
  await database.withTenant(tenantId, async (tx) => {
    const { sku } = await lockProduct(tx, tenantId, id);
    await tx.product.delete({ where: { tenantId_id: { tenantId, id } } });
    await recordAudit(tx, actor, { resource: auditedProduct, action: 'delete', resourceId: id, metadata: { sku } });
    await publishEvent(tx, { tenantId, cause: actor, topic: productDeleted, data: { id: Number(id), sku } });
  });
}

const attributesAfter = async (
  tx: TenantTx,
  tenantId: string,
  given: AttributeValues | null | undefined,
  before?: Product,
) =>
  (await readAttributes(
    tx,
    tenantId,
    'product',
    given,
    before?.attributes as AttributeValues | undefined,
  )) as Prisma.JsonObject;

/** Finds a product of the tenant and locks it until the transaction ends. */
async function lockProduct(tx: TenantTx, tenantId: string, id: bigint): Promise<Product> {
  await tx.query('SELECT FROM products WHERE tenant_id = $1 AND id = $2 FOR UPDATE', [tenantId, id]);
  const product = await tx.product.findUnique({ where: { tenantId_id: { tenantId, id } } });
  if (!product) throw new NotFoundError();
  return product;
}
