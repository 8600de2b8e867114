/** Reads members of a document that was not validated. */

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads an own member only: a document may ask for `constructor`, which every object inherits. */
export const member = (value: unknown, key: string): unknown =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;

export function objectMember(value: unknown, key: string): JsonObject {
  const inner = member(value, key);
  return isObject(inner) ? inner : {};
}

export function listMember(value: unknown, key: string): readonly unknown[] {
  const inner = member(value, key);
  return Array.isArray(inner) ? (inner as unknown[]) : [];
}

/** Reads text, or a number as text, because YAML reads an unquoted `1.5` as a number. Empty for everything else. */
export function textMember(value: unknown, key: string): string {
  const inner = member(value, key);
  if (typeof inner === 'string') return inner;
  return typeof inner === 'number' ? String(inner) : '';
}

export const isTrue = (value: unknown, key: string): boolean => member(value, key) === true;

/** Reads the texts of a list and leaves out other items. */
export const textsMember = (value: unknown, key: string): string[] =>
  listMember(value, key).filter((item) => typeof item === 'string');
