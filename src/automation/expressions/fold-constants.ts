import type { Budget } from './budget.ts';
import { evaluateConstant } from './constants.ts';
import { setOwn, toText } from './json-value.ts';
import { splitSegments } from './segments.ts';

/** A config as far as it is known before a run, and what is wrong with its expressions, by path. */
export interface Folded {
  config: Record<string, unknown>;
  faults: { path: string; message: string }[];
}

/**
 * Replaces constant expressions by their values; expressions that depend on a run stay as they are. Expressions of `deferred`
 * members are checked but stay, since their node evaluates them; `verbatim` members have none. Takes a config whose expressions are valid.
 */
export async function foldConstants(
  config: Readonly<Record<string, unknown>>,
  { deferred, verbatim, budget }: { deferred: readonly string[]; verbatim: readonly string[]; budget: Budget },
): Promise<Folded> {
  const faults: Folded['faults'] = [];

  async function fold(value: unknown, path: string): Promise<unknown> {
    if (typeof value === 'string') return value.includes('{{') ? foldText(value, path) : value;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      const items: unknown[] = [];
      for (const [index, item] of value.entries()) items.push((await fold(item, `${path}.${index}`)) ?? null);
      return items;
    }
    return foldMembers(value as Record<string, unknown>, path);
  }

  async function foldMembers(members: Readonly<Record<string, unknown>>, path: string) {
    const made: Record<string, unknown> = {};
    for (const [key, member] of Object.entries(members)) {
      const value = await fold(member, `${path}.${key}`);
      if (value !== undefined) setOwn(made, key, value);
    }
    return made;
  }

  async function foldText(text: string, path: string): Promise<unknown> {
    const values: unknown[] = [];
    let isKnown = true;
    for (const segment of splitSegments(text)) {
      if ('text' in segment) {
        values.push(segment.text);
        continue;
      }
      await budget.pause();
      const constant = await evaluateConstant(segment.source, budget);
      if (constant && 'fault' in constant) faults.push({ path, message: constant.fault });
      if (constant && 'value' in constant) values.push(constant.value);
      else isKnown = false;
    }
    if (!isKnown) return text;
    return values.length === 1 ? values[0] : values.map((value) => toText(value, budget)).join('');
  }

  const known: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(config)) {
    const path = `config.${key}`;
    if (!deferred.includes(key) && !verbatim.includes(key)) {
      const value = await fold(member, path);
      if (value !== undefined) setOwn(known, key, value);
      continue;
    }
    setOwn(known, key, member);
    // The body of a loop is a graph, whose nodes are checked by themselves.
    if (key === 'body' || verbatim.includes(key)) continue;
    const isBare = typeof member === 'string' && member.trim() !== '' && !member.includes('{{');
    await fold(isBare ? `{{${member}}}` : member, path);
  }
  return { config: known, faults };
}
