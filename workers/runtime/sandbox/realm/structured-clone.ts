import { defineProperty } from './builtins.ts';

/** `structuredClone`. `seen` holds the copies of objects that were met before. */
export function cloneValue(value: unknown, seen = new Map<object, unknown>()): unknown {
  if (typeof value === 'function' || typeof value === 'symbol')
    throw new TypeError(`A ${typeof value} cannot be cloned.`);
  if (typeof value !== 'object' || value === null) return value;
  if (seen.has(value)) return seen.get(value);
  const remember = <T extends object>(copy: T): T => {
    seen.set(value, copy);
    return copy;
  };
  if (value instanceof Date) return remember(new Date(value.getTime()));
  if (value instanceof RegExp) return remember(new RegExp(value.source, value.flags));
  if (value instanceof ArrayBuffer) return remember(value.slice(0));
  if (value instanceof DataView) {
    return remember(new DataView(cloneValue(value.buffer, seen) as ArrayBuffer, value.byteOffset, value.byteLength));
  }
  if (ArrayBuffer.isView(value)) return remember((value as Uint8Array).slice());
  if (value instanceof Map) {
    const copy = remember(new Map());
    for (const [key, item] of value) copy.set(cloneValue(key, seen), cloneValue(item, seen));
    return copy;
  }
  if (value instanceof Set) {
    const copy = remember(new Set());
    for (const item of value) copy.add(cloneValue(item, seen));
    return copy;
  }
  if (value instanceof Error) {
    const copy = remember(new Error(value.message));
    copy.name = value.name;
    return copy;
  }
  const copy = remember(Array.isArray(value) ? [] : {}) as Record<string, unknown>;
  // Not through a constructor that fills the array: a hole stays a hole.
  if (Array.isArray(value)) Object.assign(copy, { length: value.length });
  for (const key of Object.keys(value)) {
    const item = cloneValue((value as Record<string, unknown>)[key], seen);
    defineProperty(copy, key, { value: item, writable: true, enumerable: true, configurable: true });
  }
  return copy;
}
