import type { Converted } from './definitions.ts';

const endless = 'One of its schemas consists of itself, so that no value can be checked against it.';

/** Finds definitions that have a fault, or that lead to a definition with one. Returns the reason for each. */
export function findFaults(definitions: ReadonlyMap<string, Converted>): Map<string, string> {
  const faults = new Map<string, string>();
  for (const [name, { fault }] of definitions) if (fault !== undefined) faults.set(name, fault);
  for (const name of findEndless(definitions)) if (!faults.has(name)) faults.set(name, endless);
  const users = invert(definitions, ({ refs }) => refs);
  // The map grows while faults spread to the definitions that refer to faulty ones.
  for (const [name, reason] of faults) {
    for (const user of users.get(name) ?? []) if (!faults.has(user)) faults.set(user, reason);
  }
  return faults;
}

/**
 * Finds definitions that refer back to themselves without a member or an item in between. Validators follow such references until their
 * stack overflows.
 */
function findEndless(definitions: ReadonlyMap<string, Converted>): string[] {
  const open = new Map([...definitions].map(([name, { sameValue }]) => [name, sameValue.size]));
  const users = invert(definitions, ({ sameValue }) => sameValue);
  const ended = [...open].filter(([, count]) => count === 0).map(([name]) => name);
  for (const name of ended) {
    for (const user of users.get(name) ?? []) {
      const left = (open.get(user) ?? 0) - 1;
      open.set(user, left);
      if (left === 0) ended.push(user);
    }
  }
  return [...open].filter(([, count]) => count > 0).map(([name]) => name);
}

function invert(
  definitions: ReadonlyMap<string, Converted>,
  targets: (definition: Converted) => Iterable<string>,
): Map<string, string[]> {
  const users = new Map<string, string[]>();
  for (const [name, definition] of definitions) {
    for (const target of targets(definition)) {
      const known = users.get(target);
      if (known === undefined) users.set(target, [name]);
      else known.push(name);
    }
  }
  return users;
}
