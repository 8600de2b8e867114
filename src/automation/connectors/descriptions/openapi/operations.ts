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
    const read = orReason(() => references.follow(value));
    if ('reason' in read) {
      yield { method: '', path, operation: {}, item: {}, fault: read.reason };
      continue;
    }
    // What is beside a reference replaces what it leads to.
    const item = isObject(value) ? { ...read.value, ...value } : read.value;
    const additional = isObject(item['additionalOperations']) ? Object.entries(item['additionalOperations']) : [];
    const entries = Object.entries(item).filter(([key]) => !otherKeys.has(key) && !key.startsWith('x-'));
    for (const [key, operation] of [...entries, ...additional]) {
      if (isObject(operation)) yield { path, item, operation, ...readMethod(key) };
    }
  }
}

/** Names of what an API sends by itself, which a trigger receives. */
export const listWebhooks = (document: JsonObject): string[] =>
  ['webhooks', 'x-webhooks'].flatMap((key) => (isObject(document[key]) ? Object.keys(document[key]) : []));

export const listOwnParameters = (owner: JsonObject): readonly unknown[] => listMember(owner, 'parameters');
