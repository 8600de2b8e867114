import { safeKey } from '#src/automation/connectors/descriptions/names.ts';
import { orReason } from '#src/automation/connectors/descriptions/unsupported.ts';
import {
  listMember,
  member,
  objectMember,
  textMember,
  type JsonObject,
} from '#src/automation/connectors/descriptions/untrusted-json.ts';
import type { JsonSchema } from '#src/automation/node-api/manifest.ts';
import { AppError } from '#src/infra/errors.ts';
import { convertSchema } from './convert-schema.ts';
import { findFaults } from './definition-faults.ts';
import { pointerKeys, type References } from './references.ts';

/**
 * The most schemas that are converted, counting those within schemas. A document of 50 MB that lists each of its schemas twice has fewer.
 */
const maxSchemas = 2_000_000;

export interface Converted {
  schema: JsonSchema;
  /** Names of the definitions that the schema refers to. */
  refs: Set<string>;
  /** The names in `refs` that describe the same value as the schema, and so must not lead back to it. */
  sameValue: Set<string>;
  fault?: string;
}

/** The place of a definition in the description. `isBase` means the definition without the shapes that extend it. */
interface Source {
  pointer: string;
  isBase: boolean;
}

/** The schemas that operations refer to. Each is converted once, when an operation first needs it. */
export class Definitions {
  readonly #references: References;
  readonly #schemas: JsonObject;
  readonly #section: string;
  readonly #refsHaveSiblings: boolean;
  readonly #converted = new Map<object, Converted>();
  readonly #names = new Map<string, string>();
  readonly #sources = new Map<string, Source>();
  readonly #definitions = new Map<string, Converted>();
  /** Pairs of a base and a schema that extends it, keyed by the base. */
  #heirs: Map<string, (readonly [base: string, heir: string])[]> | undefined;
  #count = 0;

  constructor(document: unknown, references: References, version: '2.0' | '3.0' | '3.1') {
    this.#references = references;
    this.#section = version === '2.0' ? '#/definitions/' : '#/components/schemas/';
    this.#schemas =
      version === '2.0'
        ? objectMember(document, 'definitions')
        : objectMember(objectMember(document, 'components'), 'schemas');
    this.#refsHaveSiblings = version === '3.1';
  }

  /**
   * Converts a schema of an operation, and adds the names of the definitions that it refers to. Throws Unsupported for a broken reference
   * in it.
   */
  read(raw: unknown, refs: Set<string>): JsonSchema {
    if (typeof raw !== 'object' || raw === null) return {};
    const known = this.#converted.get(raw) ?? this.#convert(raw, undefined);
    this.#converted.set(raw, known);
    for (const name of known.refs) refs.add(name);
    return known.schema;
  }

  /** Converts all definitions that schemas refer to. Returns those that cannot be used, with the reason for each. */
  settle(): Map<string, string> {
    // The map grows while definitions refer to further ones.
    for (const [name, source] of this.#sources) this.#define(name, source);
    return findFaults(this.#definitions);
  }

  /** Returns the definitions that these names lead to, sorted by name. */
  reached(names: Iterable<string>): Record<string, JsonSchema> {
    const reached = new Set(names);
    for (const name of reached) for (const next of this.#definitions.get(name)?.refs ?? []) reached.add(next);
    return Object.fromEntries([...reached].toSorted().map((name) => [name, this.#definitions.get(name)?.schema ?? {}]));
  }

  #define(name: string, source: Source): void {
    const converted = orReason(() => this.#convert(this.#raw(source), source.pointer));
    this.#definitions.set(
      name,
      'value' in converted
        ? converted.value
        : { schema: {}, refs: new Set(), sameValue: new Set(), fault: converted.reason },
    );
  }

  #raw({ pointer, isBase }: Source): unknown {
    const raw = this.#references.target(pointer);
    return isBase && typeof raw === 'object'
      ? { ...raw, oneOf: undefined, anyOf: undefined, discriminator: undefined }
      : raw;
  }

  #convert(raw: unknown, pointer: string | undefined): Converted {
    const refs = new Set<string>();
    const sameValue = new Set<string>();
    const schema = convertSchema(raw, {
      refsHaveSiblings: this.#refsHaveSiblings,
      count: () => this.#checkCount(),
      refer: (target, unguarded) => {
        const name = this.#name(target, unguarded && pointer !== undefined && this.#isShape(target, pointer));
        refs.add(name);
        if (unguarded) sameValue.add(name);
        return `#/$defs/${name}`;
      },
      shapes: (inner) =>
        Object.fromEntries(
          this.#shapes(inner, inner === raw ? pointer : undefined).map(([value, target]) => {
            const name = this.#name(target, false);
            refs.add(name);
            return [value, `#/$defs/${name}`];
          }),
        ),
    });
    return { schema, refs, sameValue };
  }

  #checkCount(): void {
    this.#count += 1;
    if (this.#count <= maxSchemas) return;
    throw new AppError(
      'UNPROCESSABLE',
      `The operations have more than ${maxSchemas} schemas. Use a description with fewer operations.`,
    );
  }

  /** True if `target` lists the schema at `pointer` as one of its shapes. Base classes in generated descriptions do so. */
  #isShape(target: string, pointer: string): boolean {
    const base = orReason(() => this.#references.target(target));
    if (!('value' in base)) return false;
    const shapes = [...listMember(base.value, 'oneOf'), ...listMember(base.value, 'anyOf')];
    return shapes.some((shape) => member(shape, '$ref') === pointer);
  }

  #name(pointer: string, isBase: boolean): string {
    const key = isBase ? `${pointer}\nbase` : pointer;
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const keys = pointerKeys(pointer);
    const written = keys.slice(pointer.startsWith(this.#section) ? pointerKeys(this.#section).length - 1 : 0).join('/');
    const wanted = safeKey(isBase ? `${written}.base` : written);
    const name = this.#sources.has(wanted) ? safeKey(`${key}/`) : wanted;
    this.#names.set(key, name);
    this.#sources.set(name, { pointer, isBase });
    return name;
  }

  /** Lists pairs of a discriminator value and the pointer of its shape: from the mapping, else by the shapes' own names. */
  #shapes(raw: JsonObject, pointer: string | undefined): [value: string, pointer: string][] {
    const mapping = Object.entries(objectMember(raw['discriminator'], 'mapping')).flatMap<[string, string]>(
      ([value, target]) => (typeof target === 'string' ? [[value, this.#schemaPointer(target)]] : []),
    );
    const mapped = new Set(mapping.map(([, target]) => target));
    const listed = [...listMember(raw, 'oneOf'), ...listMember(raw, 'anyOf')].map((shape) => textMember(shape, '$ref'));
    const heirs = listed.length > 0 || mapping.length > 0 || pointer === undefined ? [] : this.#listHeirs(pointer);
    const named = [...listed, ...heirs]
      .filter((target) => target !== '' && !mapped.has(target))
      .map<[string, string]>((target) => [readName(target), target]);
    return [...mapping, ...named].filter(
      ([value, target]) => value !== '__proto__' && 'value' in orReason(() => this.#references.target(target)),
    );
  }

  #schemaPointer(target: string): string {
    return target.startsWith('#/') || !Object.hasOwn(this.#schemas, target) ? target : this.#section + escaped(target);
  }

  /** Lists the pointers of schemas whose `allOf` names this one. They are the shapes of a base that does not list them itself. */
  #listHeirs(pointer: string): string[] {
    if (this.#heirs === undefined) {
      const pairs = Object.entries(this.#schemas).flatMap(([name, schema]) =>
        listMember(schema, 'allOf').map((part) => [textMember(part, '$ref'), this.#section + escaped(name)] as const),
      );
      this.#heirs = Map.groupBy(pairs, ([base]) => base);
    }
    return this.#heirs.get(pointer)?.map(([, heir]) => heir) ?? [];
  }
}

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** Returns the name of the schema that a reference leads to; empty for a reference into another document. */
function readName(pointer: string): string {
  const keys = orReason(() => pointerKeys(pointer));
  return 'value' in keys ? (keys.value.at(-1) ?? '') : '';
}
