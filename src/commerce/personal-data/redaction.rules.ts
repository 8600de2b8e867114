import { isRecord, type Json } from './exact-json.rules.ts';
import { createMatcher, createNameMatcher, erased, type Person, pseudonyms } from './person.rules.ts';

/** A part of a JSON document that is about the person. */
export interface Part {
  /** Keys and positions from the document's root, with dots; empty for the whole document. */
  path: string;
  value: Json;
}

export interface Redaction {
  /** The document without what is about the person. */
  value: Json;
  /** What was about the person, as it was; empty where nothing changed. */
  parts: Part[];
}

const addressLike = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
/** Members that make an object a postal address, and those of it that are kept: tax needs the country. */
const addressMembers = new Set(['street', 'street1', 'address1', 'postal_code', 'postalCode', 'zip']);
const keptOfAddress = new Set(['type', 'country', 'country_code', 'countryCode']);

/** Makes the function that takes a person out of JSON documents. Numbers, keys and lists stay as they are. */
export function createRedactor(person: Person): (document: Json, isOwn: boolean) => Redaction {
  const matches = createMatcher(person);
  const isName = createNameMatcher(person);
  return (document, isOwn) => {
    const parts: Part[] = [];
    const value = visit(document, [], { isOwn, isPart: false });
    const isChanged = parts.length > 0;
    return isOwn && isChanged ? { value, parts: [{ path: '', value: document }] } : { value, parts };

    function report(path: readonly string[], original: Json, isPart: boolean): void {
      if (!isPart) parts.push({ path: path.join('.'), value: original });
    }

    /** `isOwn`: names and addresses in it are the person's. `isPart`: an object around it has been reported. */
    function visit(node: Json, path: readonly string[], around: { isOwn: boolean; isPart: boolean }): Json {
      if (typeof node === 'string') {
        if (node === erased || !(matches(node) || (around.isOwn && isName(node)))) return node;
        report(path, node, around.isPart);
        return erased;
      }
      if (Array.isArray(node)) return node.map((item, index) => visit(item, [...path, String(index)], around));
      return isRecord(node) ? visitRecord(node, path, around) : node;
    }

    function visitRecord(
      record: { [key: string]: Json },
      path: readonly string[],
      { isOwn: isOwnAround, isPart }: { isOwn: boolean; isPart: boolean },
    ): Json {
      const texts = Object.values(record).filter((value) => typeof value === 'string');
      const isNamed = Object.keys(record).some(matches) || texts.some(matches);
      if (isNamed) report(path, record, isPart);
      const inner = {
        // An object with the address of somebody else is about that person.
        isOwn: isNamed || (isOwnAround && !texts.some((text) => addressLike.test(text) && !text.endsWith(pseudonyms))),
        isPart: isPart || isNamed,
      };
      const isAddress = inner.isOwn && Object.keys(record).some((key) => addressMembers.has(key));
      const keys = new Set(Object.keys(record).filter((key) => !matches(key)));
      const entries = Object.entries(record).map(([key, value]): [string, Json] => {
        const at = [...path, key];
        if (isAddress && typeof value === 'string' && value !== erased && !keptOfAddress.has(key)) {
          report(at, value, inner.isPart);
          return [key, null];
        }
        return [matches(key) ? freeKey(keys) : key, visit(value, at, inner)];
      });
      return Object.fromEntries(entries);
    }
  };
}

/** A key in place of one that names the person. */
function freeKey(taken: Set<string>): string {
  let key = erased;
  for (let count = 2; taken.has(key); count += 1) key = `${erased}-${count}`;
  taken.add(key);
  return key;
}
