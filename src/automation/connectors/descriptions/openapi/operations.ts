import { readMethod } from '#src/automation/connectors/descriptions/methods.ts';
import { orReason } from '#src/automation/connectors/descriptions/unsupported.ts';
import { isObject, listMember, type JsonObject } from '#src/automation/connectors/descriptions/untrusted-json.ts';
import type { References } from './references.ts';

/** An operation as the description writes it. */
export interface WrittenOperation {
  method: string;
  path: string;
  operation: JsonObject;
  /** The path item, whose servers and parameters apply to all its operations. */
  item: JsonObject;
  /** The reason why the operation cannot be read, if there is one. */
  fault?: string;
}

const otherKeys = new Set(['$ref', 'summary', 'description', 'servers', 'parameters', 'additionalOperations']);

/** Lists every operation in `paths`, in the order of the description, including those whose method nodes cannot send. */
export function* listOperations(paths: JsonObject, references: References): Generator<WrittenOperation> {
  for (const [path, value] of Object.entries(paths)) {
    if (path.startsWith('x-')) continue;
    const found = orReason(() => references.follow(value));
    if ('reason' in found) {
      yield { method: '', path, operation: {}, item: {}, fault: found.reason };
      continue;
    }
    // Members beside a reference replace those of its target.
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

export const listOwnParameters = (owner: JsonObject): readonly unknown[] => listMember(owner, 'parameters');
