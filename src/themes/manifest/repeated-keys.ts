import type { Fault } from './manifest.rules.ts';

/** An object or array that is being read. */
interface Open {
  /** Null for an array. */
  keys: Set<string> | null;
  isAtKey: boolean;
  /** The member that is being read. */
  step: string | number;
}

const token = /"(?:[^"\\]|\\.)*"|[{}[\],]/g;
const maxFaults = 50;

/**
 * A fault for each key that occurs twice in an object of a JSON text: JSON.parse silently keeps the last one, other parsers keep the first.
 */
export function repeatedKeys(json: string): Fault[] {
  const faults: Fault[] = [];
  const open: Open[] = [];
  for (const [text] of json.matchAll(token)) {
    const inner = open.at(-1);
    if (text === '{') open.push({ keys: new Set(), isAtKey: true, step: '' });
    else if (text === '[') open.push({ keys: null, isAtKey: false, step: 0 });
    else if (text === '}' || text === ']') open.pop();
    else if (text === ',' && inner) {
      if (inner.keys) inner.isAtKey = true;
      else inner.step = Number(inner.step) + 1;
    } else if (inner?.keys && inner.isAtKey) {
      const key = JSON.parse(text) as string;
      inner.isAtKey = false;
      inner.step = key;
      if (inner.keys.has(key)) faults.push({ at: open.map(({ step }) => step), message: 'is there twice; remove one' });
      if (faults.length >= maxFaults) return faults;
      inner.keys.add(key);
    }
  }
  return faults;
}
