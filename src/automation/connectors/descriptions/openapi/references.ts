import { Unsupported } from '#src/automation/connectors/descriptions/unsupported.ts';
import { isObject, member, type JsonObject } from '#src/automation/connectors/descriptions/untrusted-json.ts';

/** The most references to references that are followed; a longer chain counts as a cycle. */
const maxHops = 20;

/** Finds the target of a `$ref` within one document. Never fetches anything. */
export interface References {
  /** Returns the value at a `#/...` pointer. Throws Unsupported if there is none, and for a pointer into another document. */
  target: (pointer: string) => unknown;
  /** Returns the object itself, or the target of its `$ref`. */
  follow: (value: unknown) => JsonObject;
}

export function referencesWithin(document: unknown): References {
  const target = (pointer: string): unknown => {
    const keys = pointerKeys(pointer);
    const found = find(document, keys) ?? find(document, movedKeys(keys));
    if (found === undefined)
      throw new Unsupported(`It refers to ${quoted(pointer)}, which the description does not have.`);
    return found;
  };
  const follow = (value: unknown): JsonObject => {
    let found = value;
    for (let hops = 0; hops < maxHops; hops += 1) {
      const pointer = member(found, '$ref');
      if (typeof pointer !== 'string') return isObject(found) ? found : {};
      found = target(pointer);
    }
    throw new Unsupported(`It refers to ${quoted(String(member(value, '$ref')))}, which refers to itself.`);
  };
  return { target, follow };
}

/** Splits a `#/...` pointer into its keys. Throws Unsupported for any other reference. */
export function pointerKeys(pointer: string): string[] {
  if (pointer !== '#' && !pointer.startsWith('#/')) {
    const what = pointer.startsWith('#') ? 'an anchor' : 'another document';
    throw new Unsupported(
      `It refers to ${quoted(pointer)}, ${what}, which is not read. Put everything into one description with pointers such as #/components/schemas/Order.`,
    );
  }
  return pointer
    .split('/')
    .slice(1)
    .map((key) => decoded(key).replaceAll('~1', '/').replaceAll('~0', '~'));
}

function find(document: unknown, keys: readonly string[]): unknown {
  let found = document;
  for (const key of keys) {
    found = Array.isArray(found) ? (found as unknown[])[/^\d{1,9}$/.test(key) ? Number(key) : -1] : member(found, key);
    if (found === undefined) return undefined;
  }
  return found;
}

/** OpenAPI 3's places for sections that Swagger 2.0 has at its top level. Some converters leave old references unchanged. */
const moved: Readonly<Record<string, string>> = {
  definitions: 'schemas',
  parameters: 'parameters',
  responses: 'responses',
};

function movedKeys(keys: readonly string[]): string[] {
  const [first = '', ...rest] = keys;
  const section = Object.hasOwn(moved, first) ? moved[first] : undefined;
  return section === undefined ? [...keys] : ['components', section, ...rest];
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

const quoted = (pointer: string): string => JSON.stringify(pointer.slice(0, 120));
