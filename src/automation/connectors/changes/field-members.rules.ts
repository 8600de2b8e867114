import type { ConfigField } from '#src/automation/node-api/manifest.ts';

/** A generated form has at most this many fields. A larger form leaves out the members of some objects. */
const maxFields = 490;

export const countFields = (fields: readonly ConfigField[]): number =>
  fields.reduce(
    (sum, { fields: members = [], items, variants = [] }) =>
      sum +
      1 +
      countFields(members) +
      countFields(items ? [items] : []) +
      countFields(variants.map(({ field }) => field)),
    0,
  );

/**
 * Pairs the members of an object in both forms; undefined if one of the forms leaves them out. A form that would be too large may keep only
 * the required members of an object, so optional ones then do not count as removed. `size` is the number of fields of the newer form.
 */
export function pairMembers(before: ConfigField, after: ConfigField, size: number) {
  if (!before.fields || !after.fields) return undefined;
  const hasOptional = after.fields.some(({ required }) => required !== true);
  const isCut = !hasOptional && size + before.fields.length > maxFields;
  return pairFields(before.fields, after.fields, isCut);
}

export function pairFields(before: readonly ConfigField[], after: readonly ConfigField[], isCut = false) {
  const next = new Map(after.map((field) => [field.key, field]));
  const last = new Set(before.map(({ key }) => key));
  return {
    kept: before.flatMap((field) => {
      const now = next.get(field.key);
      return now ? [[field, now] as const] : [];
    }),
    removed: before.filter(({ key, required }) => !next.has(key) && !(isCut && required !== true)),
    added: after.filter(({ key }) => !last.has(key)),
  };
}

/** Pairs the shapes of a variant by their names. */
export const pairShapes = (before: ConfigField, after: ConfigField) =>
  (before.variants ?? []).flatMap(({ name, field }) => {
    const now = after.variants?.find((variant) => variant.name === name);
    return now ? [{ name, before: field, after: now.field }] : [];
  });
