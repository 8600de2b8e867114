import { setOwn } from '#src/automation/expressions/json-value.ts';

type Members = Readonly<Record<string, unknown>>;

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object with the members of both, at any depth; those of `fixed` count where both have one, and come first. */
export function merge(given: Members, fixed: Members): Record<string, unknown> {
  const merged: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fixed)) {
    const own = Object.hasOwn(given, name) ? given[name] : undefined;
    setOwn(merged, name, isMembers(own) && isMembers(value) ? merge(own, value) : value);
  }
  for (const [name, value] of Object.entries(given)) if (!Object.hasOwn(fixed, name)) setOwn(merged, name, value);
  return merged;
}
