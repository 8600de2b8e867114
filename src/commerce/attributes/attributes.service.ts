import type { Attribute } from '#prisma/client.ts';
import { AttributeTarget } from '#prisma/enums.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { ConflictError, NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { lockNamed } from '#src/infra/postgres/named-locks.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import type { ReadTenantSchemas } from '#src/infra/tenant-schemas.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import {
  type AttributeFilter,
  type AttributeValues,
  attributesSchema,
  type Definition,
  mergeAttributes,
  readAttributeFilters,
} from './attribute-values.rules.ts';
import { auditedAttribute } from './attributes.declarations.ts';
import { attributesSchemaName, createAttributeInput, updateAttributeInput } from './attributes.inputs.ts';
import { findDefinitions, definitionsSql, isHeld } from './attributes.store.ts';

const maxPerTarget = 100;

/**
 * Defines an attribute. ConflictError for a code in use by an attribute, or by values that a deleted one left behind; ValidationError
 * beyond 100 attributes of a target.
 */
export async function createAttribute({ database }: Deps, actor: Actor, given: unknown): Promise<Attribute> {
  const { target, code, label, type, options, required } = parseInput(createAttributeInput, given);
  checkOptions(type, options ?? []);
  const { tenantId } = actor;
  return database.withTenant(tenantId, async (tx) => {
    await lockAttributes(tx, tenantId);
    const there = await findDefinitions(tx, tenantId, target);
    if (there.some((each) => each.code === code)) {
      throw new ValidationError({ code: ['The code has already been taken.'] });
    }
    if (there.length >= maxPerTarget) {
      throw new ValidationError({ target: [`It has ${maxPerTarget} attributes, which is the most.`] });
    }
    if (await isHeld(tx, { tenantId, target, code })) {
      throw new ConflictError(`Values of a deleted attribute ${code} are still there; use another code.`);
    }
    const attribute = await tx.attribute.create({
      data: { tenantId, target, code, label: label ?? code, type, options: options ?? [], required: required ?? false },
    });
    const metadata = { target, code, type };
    await recordAudit(tx, actor, { resource: auditedAttribute, action: 'create', resourceId: attribute.id, metadata });
    return attribute;
  });
}

/** Changes the label, the options, or whether it is required. ConflictError for an option that a resource still has. */
export async function updateAttribute(
  { database }: Deps,
  actor: Actor,
  id: bigint,
  given: unknown,
): Promise<Attribute> {
  const { label, options, required } = parseInput(updateAttributeInput, given);
  const { tenantId } = actor;
  return database.withTenant(tenantId, async (tx) => {
    const attribute = await lockAttribute(tx, tenantId, id);
    const { target, code, type } = attribute;
    if (options != null) {
      checkOptions(type, options);
      const values = attribute.options.filter((option) => !options.includes(option));
      if (values.length > 0 && (await isHeld(tx, { tenantId, target, code, values }))) {
        throw new ConflictError(`An option that is left out is still in use; change the values of ${code} first.`);
      }
    }
    const changes = {
      ...(label != null && label !== attribute.label && { label }),
      ...(options != null && options.join('\0') !== attribute.options.join('\0') && { options }),
      ...(required != null && required !== attribute.required && { required }),
    };
    if (Object.keys(changes).length === 0) return attribute;
    const updated = await tx.attribute.update({ where: { tenantId_id: { tenantId, id } }, data: changes });
    const metadata = { target, code, changed: Object.keys(changes) };
    await recordAudit(tx, actor, { resource: auditedAttribute, action: 'update', resourceId: id, metadata });
    return updated;
  });
}

/** Deletes the definition. Each resource keeps its value until its next write. */
export async function deleteAttribute({ database }: Deps, actor: Actor, id: bigint): Promise<void> {
  const { tenantId } = actor;
  await database.withTenant(tenantId, async (tx) => {
    const { target, code } = await lockAttribute(tx, tenantId, id);
    await tx.attribute.delete({ where: { tenantId_id: { tenantId, id } } });
    const metadata = { target, code };
    await recordAudit(tx, actor, { resource: auditedAttribute, action: 'delete', resourceId: id, metadata });
  });
}

/**
 * The values of a resource after a write, by the tenant's current definitions: those it had `before`, overwritten by the given ones; null
 * clears one. Returns `before` itself if nothing changes. Throws a ValidationError at `attributes.<code>`.
 */
export async function readAttributes(
  tx: Tx,
  tenantId: string,
  target: AttributeTarget,
  given: AttributeValues | null | undefined,
  before?: AttributeValues,
): Promise<AttributeValues> {
  return mergeAttributes(await findDefinitions(tx, tenantId, target), given, before);
}

/**
 * The same for many new resources in one transaction: reads the definitions once, and returns a function that checks values against them.
 */
export async function attributeReader(
  tx: Tx,
  tenantId: string,
  target: AttributeTarget,
): Promise<(given: AttributeValues | null | undefined) => AttributeValues> {
  const definitions = await findDefinitions(tx, tenantId, target);
  return (given) => mergeAttributes(definitions, given);
}

/** The codes of the attributes that are required at every write of a resource of the target. */
export async function requiredAttributes(tx: Tx, tenantId: string, target: AttributeTarget): Promise<string[]> {
  return (await findDefinitions(tx, tenantId, target)).flatMap(({ code, required }) => (required ? [code] : []));
}

/** The reason for an import to reject a row: its resource has no value of a required attribute, and files do not set attributes. */
export const lacksAttribute = (required: readonly string[]): string =>
  `It has no value of a required attribute (${required.join(', ')}). Set it over the API first.`;

/** Parses the attribute filters of a list of the target, for `attributeConditions`. */
export async function readAttributeFilter(
  { database }: Pick<Deps, 'database'>,
  tenantId: string,
  target: AttributeTarget,
  given: unknown,
): Promise<AttributeFilter[]> {
  if (given == null) return [];
  if (typeof given !== 'object' || Array.isArray(given)) {
    throw new ValidationError({ attributes: ['Name values by the code of their attribute.'] });
  }
  if (Object.keys(given).length === 0) return [];
  const definitions = await database.tenantQuery<Definition & object>(tenantId, definitionsSql(tenantId, target));
  return readAttributeFilters(definitions, given as AttributeValues);
}

/** The schemas of attributes as the tenant defines them now. */
export const attributeSchemas: ReadTenantSchemas = async ({ database }, tenantId) => {
  const targets = Object.values(AttributeTarget);
  const found = await Promise.all(
    targets.map((target) => database.tenantQuery<Definition & object>(tenantId, definitionsSql(tenantId, target))),
  );
  return Object.fromEntries(
    targets.map((target, index) => [attributesSchemaName[target], attributesSchema(found[index] ?? [])]),
  );
};

function checkOptions(type: Attribute['type'], options: readonly string[]): void {
  if (type === 'select' && options.length === 0) {
    throw new ValidationError({ options: ['Name the options of a select.'] });
  }
  if (type !== 'select' && options.length > 0) {
    throw new ValidationError({ options: ['Only a select has options.'] });
  }
}

const lockAttributes = (tx: Tx, tenantId: string): Promise<void> => lockNamed(tx, `attributes/${tenantId}`);

async function lockAttribute(tx: TenantTx, tenantId: string, id: bigint): Promise<Attribute> {
  await lockAttributes(tx, tenantId);
  const attribute = await tx.attribute.findUnique({ where: { tenantId_id: { tenantId, id } } });
  if (!attribute) throw new NotFoundError();
  return attribute;
}
