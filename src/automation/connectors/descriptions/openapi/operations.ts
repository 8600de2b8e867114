import { readMethod } from '#src/automation/connectors/descriptions/methods.ts';
import { orReason } from '#src/automation/connectors/descriptions/unsupported.ts';
import { isObject, listMember, type JsonObject } from '#src/automation/connectors/descriptions/untrusted-json.ts';
import type { References } from './references.ts';

/** An operation as the description has it. */
export interface WrittenOperation {
  method: string;
  path: string;
  operation: JsonObject;
  /** The path item, which has servers and parameters for all its operations. */
  item: JsonObject;
  /** Why it cannot be read. */
  fault?: string;
}

const otherKeys = new Set(['$ref', 'summary', 'description', 'servers', 'parameters', 'additionalOperations']);

/** Every operation below `paths`, in the order of the description, also those whose method nobody sends. */
export function* listOperations(paths: JsonObject, references: References): Generator<WrittenOperation> {
  for (const [path, value] of Object.entries(paths)) {
    if (path.startsWith('x-')) continue;
    const found = orReason(() => references.follow(value));
    if ('reason' in found) {
      yield { method: '', path, operation: {}, item: {}, fault: found.reason };
      continue;
    }
    // What is beside a reference replaces what it leads to.
    const item = isObject(value) ? { ...found.value, ...value } : found.value;
    const additional = isObject(item['additionalOperations']) ? Object.entries(item['additionalOperations']) : [];
    const entries = Object.entries(item).filter(([key]) => !otherKeys.has(key) && !key.startsWith('x-'));
    const methods = new Set<string>();
    for (const [key, operation] of [...entries, ...additional]) {
      if (!isObject(operation)) continue;
      const read = readMethod(key);
      const fault = methods.has(read.method) ? 'Another operation has the same method and path.' : read.fault;
      methods.add(read.method);
      yield { path, item, operation, method: read.method, ...(fault !== undefined && { fault }) };
    }
  }
}

/** Names of what an API sends by itself, which a trigger receives. */
export const listWebhooks = (document: JsonObject): string[] =>
  ['webhooks', 'x-webhooks'].flatMap((key) => (isObject(document[key]) ? Object.keys(document[key]) : []));

export const listOwnParameters = (owner: JsonObject): readonly unknown[] => listMember(owner, 'parameters');
