import { isTrigger, type Json, type NodeUnit } from './graph.ts';

/** What can be found: nodes and triggers by path, with the words that are shown for them. */
export interface Findable {
  path: string;
  name: string;
  kind: string;
  unit: NodeUnit | undefined;
}

/** A node in which the text was found, and the field of its config, if it was found there. */
export interface Found {
  path: string;
  name: string;
  field?: string;
}

/** Finds a text in ids, names, kinds, and in the values and expressions of configs. Names come first. */
export function find(items: Iterable<Findable>, text: string): Found[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return [];
  const has = (value: unknown): boolean => stringify(value).toLowerCase().includes(wanted);
  const byName: Found[] = [];
  const byField: Found[] = [];
  for (const { path, name, kind, unit } of items) {
    if (has(name) || (!isTrigger(path) && has(path)) || has(kind) || has(unit?.node)) byName.push({ path, name });
    else {
      const field = Object.entries(configIn(unit)).find(([key, value]) => has(key) || has(value))?.[0];
      if (field !== undefined) byField.push({ path, name, field });
    }
  }
  return [...byName, ...byField];
}

const configIn = (unit: NodeUnit | undefined): Json => unit?.config ?? {};

const stringify = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
