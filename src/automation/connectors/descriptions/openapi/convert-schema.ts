import { plainText } from '#src/automation/connectors/descriptions/plain-text.ts';
import { Unsupported } from '#src/automation/connectors/descriptions/unsupported.ts';
import { isObject, isTrue, member, type JsonObject } from '#src/automation/connectors/descriptions/untrusted-json.ts';
import type { JsonSchema } from '#src/automation/node-api/manifest.ts';
import { allowNull } from './allow-null.ts';
import { readType } from './schema-types.ts';

/** The parts of the surrounding description that converting a schema needs. */
export interface SchemaPlace {
  /**
   * Returns `#/$defs/<name>` for a pointer in the description. `unguarded` is true if the target describes the same value as the schema
   * that refers to it.
   */
  refer: (pointer: string, unguarded: boolean) => string;
  /** Returns the shapes, as `#/$defs/<name>`, keyed by the values of the discriminator. */
  shapes: (schema: JsonObject) => Record<string, string>;
  /** True from OpenAPI 3.1 on, where keywords beside a `$ref` apply. Earlier versions ignore them. */
  refsHaveSiblings: boolean;
  /** Called for each schema; throws when there are too many. */
  count: () => void;
}

const maxDepth = 64;
const maxText = 300;
const maxPattern = 1_000;

type Read = (schema: unknown, guarded: boolean) => JsonSchema;
/** Converts a keyword's value. Undefined leaves the keyword out, because validators reject a whole schema for one invalid keyword. */
type Keyword = (value: unknown, read: Read) => unknown;

const count: Keyword = (value) => (Number.isSafeInteger(value) && (value as number) >= 0 ? value : undefined);
const number: Keyword = (value) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined);
const flag: Keyword = (value) => (value === true ? true : undefined);
const text: Keyword = (value) => (typeof value === 'string' ? plainText(value, maxText) || undefined : undefined);
const word: Keyword = (value) => (typeof value === 'string' && /^[\w./+ -]{1,100}$/.test(value) ? value : undefined);
const names: Keyword = (value) =>
  Array.isArray(value)
    ? nonEmpty([...new Set(value)].filter((name) => typeof name === 'string' && name !== '__proto__'))
    : undefined;
const values: Keyword = (value) =>
  Array.isArray(value)
    ? nonEmpty([...new Map(value.map((item: unknown) => [JSON.stringify(item), item])).values()])
    : undefined;
const asIs: Keyword = (value) => value;
const pattern: Keyword = (value) => (typeof value === 'string' && isPattern(value) ? value : undefined);

const schema =
  (guarded: boolean): Keyword =>
  (value, read) =>
    isObject(value) ? read(value, guarded) : typeof value === 'boolean' ? value : undefined;
const schemas =
  (guarded: boolean): Keyword =>
  (value, read) =>
    Array.isArray(value) ? nonEmpty(value.map((item: unknown) => read(item, guarded))) : undefined;
const schemasByName =
  (guarded: boolean, isName: (name: string) => boolean = () => true): Keyword =>
  (value, read) =>
    isObject(value)
      ? Object.fromEntries(
          Object.entries(value)
            .filter(([name]) => name !== '__proto__' && isName(name))
            .map(([name, inner]) => [name, read(inner, guarded)]),
        )
      : undefined;

const keywords: Readonly<Record<string, Keyword>> = {
  format: word,
  title: text,
  description: text,
  default: asIs,
  const: asIs,
  enum: values,
  readOnly: flag,
  writeOnly: flag,
  deprecated: flag,
  multipleOf: (value) => (typeof value === 'number' && value > 0 ? value : undefined),
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  minLength: count,
  maxLength: count,
  pattern,
  minItems: count,
  maxItems: count,
  uniqueItems: flag,
  minContains: count,
  maxContains: count,
  minProperties: count,
  maxProperties: count,
  required: names,
  contentEncoding: word,
  contentMediaType: word,
  properties: schemasByName(true),
  patternProperties: schemasByName(true, isPattern),
  additionalProperties: schema(true),
  propertyNames: schema(true),
  prefixItems: schemas(true),
  items: schema(true),
  contains: schema(true),
  allOf: schemas(false),
  anyOf: schemas(false),
  oneOf: schemas(false),
  ...Object.fromEntries(['not', 'if', 'then', 'else'].map((key) => [key, schema(false)])),
  dependentSchemas: schemasByName(false),
  xml: (value) => (isObject(value) ? xmlHints(value) : undefined),
};

/**
 * Converts a schema of any OpenAPI version to JSON Schema 2020-12, with references to definitions. Unknown and invalid keywords are left
 * out.
 */
export function convertSchema(raw: unknown, place: SchemaPlace): JsonSchema {
  const convert = (value: unknown, depth: number, guarded: boolean): JsonSchema => {
    if (depth > maxDepth) throw new Unsupported(`Its schemas are nested deeper than ${maxDepth} levels.`);
    place.count();
    if (value === false) return { not: {} };
    if (!isObject(value)) return {};
    const read: Read = (inner, isInside) => convert(inner, depth + 1, guarded || isInside);
    return convertObject(value, place, read, guarded);
  };
  return convert(raw, 0, false);
}

function convertObject(raw: JsonObject, place: SchemaPlace, read: Read, guarded: boolean): JsonSchema {
  const pointer = member(raw, '$ref');
  const isRef = typeof pointer === 'string';
  const out: Record<string, unknown> = isRef ? { $ref: place.refer(pointer, !guarded) } : {};
  const used = isRef && !place.refsHaveSiblings ? annotations : Object.keys(keywords);
  Object.assign(out, isRef && !place.refsHaveSiblings ? {} : readType(raw));
  for (const key of used) {
    if (!Object.hasOwn(raw, key) || Object.hasOwn(out, key)) continue;
    const value = keywords[key]?.(raw[key], read);
    if (value !== undefined) out[key] = value;
  }
  mendOldKeywords(raw, out, read);
  if (isObject(raw['discriminator']) || typeof raw['discriminator'] === 'string') {
    const property =
      typeof raw['discriminator'] === 'string' ? raw['discriminator'] : raw['discriminator']['propertyName'];
    if (typeof property === 'string') out['discriminator'] = { propertyName: property, mapping: place.shapes(raw) };
  }
  return isTrue(raw, 'nullable') || isTrue(raw, 'x-nullable') ? allowNull(out) : out;
}

const annotations = ['title', 'description', 'default', 'readOnly', 'writeOnly', 'deprecated'];

/** Until OpenAPI 3.0, exclusive bounds were flags, and a tuple was a list of `items`. */
function mendOldKeywords(raw: JsonObject, out: Record<string, unknown>, read: Read): void {
  for (const [flagged, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (!isTrue(raw, flagged) || out[bound] === undefined) continue;
    out[flagged] = out[bound];
    delete out[bound];
  }
  if (Array.isArray(raw['items'])) {
    const items = schemas(true)(raw['items'], read);
    if (items !== undefined) out['prefixItems'] = items;
  }
}

const xmlHints = (raw: JsonObject): JsonSchema =>
  Object.fromEntries(
    ['name', 'namespace', 'prefix', 'attribute', 'wrapped'].flatMap((key) => {
      const value = member(raw, key);
      return value === true || (typeof value === 'string' && value.length <= 200) ? [[key, value]] : [];
    }),
  );

function isPattern(source: string): boolean {
  if (source.length > maxPattern) return false;
  try {
    return new RegExp(source, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

const nonEmpty = <T>(list: T[]): T[] | undefined => (list.length === 0 ? undefined : list);
