import { isObject } from '#src/automation/connectors/descriptions/untrusted-json.ts';
import type { JsonSchema } from '#src/automation/node-api/manifest.ts';

/** The number of items of a list that are read. */
const maxItems = 20;
const maxDepth = 20;

/** Infers a schema from an example. Nothing in it is required, because an example does not show that. */
export function inferSchema(examples: readonly unknown[], depth = 0): JsonSchema {
  const given = examples.filter((example) => example !== null);
  if (given.length === 0 || depth === maxDepth) return {};
  if (given.every(isObject)) {
    const names = new Set(given.flatMap((example) => Object.keys(example)).filter((name) => name !== '__proto__'));
    const properties = [...names].map((name) => {
      const values = given.filter((example) => Object.hasOwn(example, name)).map((example) => example[name]);
      return [name, inferSchema(values, depth + 1)] as const;
    });
    return { type: 'object', properties: Object.fromEntries(properties) };
  }
  if (given.every((example) => Array.isArray(example))) {
    return { type: 'array', items: inferSchema(given.flat().slice(0, maxItems), depth + 1) };
  }
  const [type, ...others] = new Set(given.map((example) => typeof example));
  return others.length === 0 && (type === 'string' || type === 'number' || type === 'boolean') ? { type } : {};
}

/** Parses JSON text; undefined if it is not JSON. Variables outside quotes are read as null. */
export function parseExample(text: string): unknown {
  for (const candidate of [text, text.replaceAll(/\{\{[^{}]{1,100}\}\}/g, 'null')]) {
    try {
      return JSON.parse(candidate) as unknown;
    } catch {
      // Not JSON: try the next candidate.
    }
  }
  return undefined;
}
