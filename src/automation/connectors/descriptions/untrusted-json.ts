/** Reads of members of a document whose shape nobody has checked. */

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An own member: a document may ask for `constructor`, which every object inherits. */
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

/** Text, also of a number: YAML reads an unquoted `1.5` as one. Empty for everything else. */
export function textMember(value: unknown, key: string): string {
  const inner = member(value, key);
  if (typeof inner === 'string') return inner;
  return typeof inner === 'number' ? String(inner) : '';
}

export const isTrue = (value: unknown, key: string): boolean => member(value, key) === true;

/** Texts of a list; other items are left out. */
export const textsMember = (value: unknown, key: string): string[] =>
  listMember(value, key).filter((item) => typeof item === 'string');
