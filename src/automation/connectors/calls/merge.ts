import { setOwn } from '#src/automation/expressions/json-value.ts';

type Members = Readonly<Record<string, unknown>>;

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Merges two objects at any depth. Members of `fixed` come first, and win if both objects have one of the same name. */
export function merge(given: Members, fixed: Members): Record<string, unknown> {
  const merged: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fixed)) {
    const own = Object.hasOwn(given, name) ? given[name] : undefined;
    setOwn(merged, name, isMembers(own) && isMembers(value) ? merge(own, value) : value);
  }
  for (const [name, value] of Object.entries(given)) if (!Object.hasOwn(fixed, name)) setOwn(merged, name, value);
  return merged;
}
