import { isObject, type Json } from '#console/automation/editor/model/graph.ts';
import type { Field } from './field.ts';

/** A member of an object; undefined if the object lacks it, or if the value is not an object. */
export const readMember = (value: unknown, key: string): unknown =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;

/** Sets a member in its present position, or adds it at the end. `undefined` removes it. */
export function withMember(value: unknown, key: string, member: unknown): Json {
  const before = isObject(value) ? value : {};
  if (member !== undefined) return { ...before, [key]: member };
  return Object.fromEntries(Object.entries(before).filter(([name]) => name !== key));
}

/**
 * Splits the members into those that the form shows (required, with a value, or opened by the user) and those that can be added, both in
 * the order of the manifest.
 */
export function splitMembers(
  fields: readonly Field[],
  value: unknown,
  opened: ReadonlySet<string>,
): { shown: readonly Field[]; hidden: readonly Field[] } {
  const isShown = ({ key, required }: Field) => required || opened.has(key) || readMember(value, key) !== undefined;
  return { shown: fields.filter(isShown), hidden: fields.filter((field) => !isShown(field)) };
}

/** Finds fields whose label, name or help matches a text, best match first. */
export function findFields(fields: readonly Field[], text: string): readonly Field[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = ({ key, label, help }: Field): number => {
    const names = `${label} ${key}`.toLowerCase();
    if (words.every((word) => names.startsWith(word))) return 0;
    if (words.every((word) => names.includes(word))) return 1;
    return words.every((word) => `${names} ${help ?? ''}`.toLowerCase().includes(word)) ? 2 : 3;
  };
  return fields
    .map((field) => ({ field, rank: rank(field) }))
    .filter(({ rank }) => rank < 3)
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ field }) => field);
}

/** The members of an object that have no field; undefined if there are none. */
export function otherMembers(known: ReadonlySet<string>, value: unknown): Json | undefined {
  const others = isObject(value) ? Object.entries(value).filter(([key]) => !known.has(key)) : [];
  return others.length === 0 ? undefined : Object.fromEntries(others);
}

/** Replaces the members that have no field. Members with a field stay, even if `others` names them. */
export function withOtherMembers(known: ReadonlySet<string>, value: unknown, others: Json): Json {
  const before = isObject(value) ? value : {};
  const kept = Object.entries(before).filter(([key]) => known.has(key) || Object.hasOwn(others, key));
  const set = Object.entries(others).filter(([key]) => !known.has(key));
  return Object.fromEntries([...kept, ...set]);
}
