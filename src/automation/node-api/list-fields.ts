import type { ConfigField } from './manifest.ts';

type Config = Readonly<Record<string, unknown>>;

/** Keys of the fields of a node that hold lists. */
export const findListFields = (fields: readonly ConfigField[] = []): string[] =>
  fields.flatMap(({ key, type }) => (type === 'list' ? [key] : []));

/**
 * A list, whatever an expression made of it: JSONata yields one match as itself and no match as nothing, and an empty XML element
 * is empty text.
 */
export function asList(value: unknown): unknown[] {
  if (Array.isArray(value)) return value as unknown[];
  return value === undefined || value === null || value === '' ? [] : [value];
}

/**
 * An evaluated config in which every list field that is set in `written`, the config before evaluation, is a list. An absent field stays
 * absent.
 */
export function withLists(listFields: readonly string[], written: Config, evaluated: unknown): unknown {
  if (listFields.length === 0 || typeof evaluated !== 'object' || evaluated === null) return evaluated;
  const given = evaluated as Config;
  const wrong = listFields.filter((key) => isFilled(written[key]) && !Array.isArray(given[key]));
  if (wrong.length === 0) return evaluated;
  return { ...given, ...Object.fromEntries(wrong.map((key) => [key, asList(given[key])])) };
}

const isFilled = (value: unknown): boolean => value !== undefined && value !== null && value !== '';
