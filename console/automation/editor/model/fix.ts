import { readBlob } from './blob.ts';
import { apply, difference } from './changes.ts';
import type { Command } from './commands.ts';
import { isObject, type Json } from './graph.ts';
import { isSame } from './same.ts';

/** A change of a blob that would mend an issue, at members and indexes joined by dots: `blob.nodes.0.version`. */
export interface Fix {
  operation: 'SET' | 'REMOVE';
  path: string;
  value?: unknown;
}

/**
 * Applies a fix that the server proposed for a blob. The graph may have changed since that blob was saved, as by another fix, so the fix is
 * read as changes of members; nothing happens where one of those is another by now.
 */
export const fix =
  (blob: unknown, proposed: Fix): Command =>
  (graph) => {
    const changes = difference(readBlob(blob), readBlob(fixBlob(blob, proposed)));
    const now = changes.map(({ key, from, to }) => {
      const value = graph.get(key);
      // Members of the workflow appear with their first entry; a node that appeared meanwhile is another one.
      const before = from === undefined && key.startsWith('member:') && isObject(to) && value !== undefined ? {} : from;
      return { key, from: value, to: changeMembers(value, before, to) };
    });
    return now.some(({ to }) => to === stale) ? graph : apply(graph, now);
  };

const stale = Symbol('The value was changed since.');

/** Applies to a value the difference between two others. */
function changeMembers(now: unknown, from: unknown, to: unknown): unknown {
  if (isSame(now, from)) return to;
  if (!isObject(now) || !isObject(from) || !isObject(to)) return stale;
  const names = [...new Set([...Object.keys(now), ...Object.keys(from), ...Object.keys(to)])];
  const members = names.map((name) => {
    const [member, old, next] = [own(now, name), own(from, name), own(to, name)];
    return [name, isSame(old, next) ? member : changeMembers(member, old, next)] as const;
  });
  if (members.some(([, member]) => member === stale)) return stale;
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}

const own = (value: Json, name: string): unknown => (Object.hasOwn(value, name) ? value[name] : undefined);

/** The blob with a fix; the same blob where nothing is at its path. */
export const fixBlob = (blob: unknown, { operation, path, value }: Fix): unknown =>
  changeAt(blob, path.replace(/^blob\.?/, ''), operation === 'SET' ? { value } : undefined);

/** A value with the member at a path set, or removed. Members may have dots in their names, so the whole rest of a path is tried first. */
function changeAt(value: unknown, path: string, to: { value: unknown } | undefined): unknown {
  if (Array.isArray(value)) return changeItem(value, path, to);
  if (!isObject(value)) return value;
  const key = prefixes(path).find((name) => Object.hasOwn(value, name));
  if (key === undefined || key === path) {
    if (to === undefined) return without(value, key);
    return key === undefined && path.includes('.') ? value : { ...value, [path]: to.value };
  }
  return { ...value, [key]: changeAt(value[key], path.slice(key.length + 1), to) };
}

function changeItem(items: readonly unknown[], path: string, to: { value: unknown } | undefined): unknown {
  const [first = '', rest] = path.split(/\.(.*)/s, 2);
  const index = /^\d+$/.test(first) ? Number(first) : items.length;
  if (index >= items.length) return items;
  if (rest !== undefined) return items.with(index, changeAt(items[index], rest, to));
  return to ? items.with(index, to.value) : items.toSpliced(index, 1);
}

/** `a.b.c`, `a.b`, `a`. */
function prefixes(path: string): string[] {
  const parts = path.split('.');
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('.'));
}

const without = (value: object, key: string | undefined): object =>
  key === undefined ? value : Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
