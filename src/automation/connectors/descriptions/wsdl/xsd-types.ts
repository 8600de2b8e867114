import { safeKey } from '#src/automation/connectors/descriptions/names.ts';
import { orReason, Unsupported } from '#src/automation/connectors/descriptions/unsupported.ts';
import type { CallSoap, SoapElement, SoapType } from '#src/automation/node-api/api-call.ts';
import type { JsonSchema } from '#src/automation/node-api/manifest.ts';
import { type Member, readContent, type TypeContent } from './complex-types.ts';
import type { Found, TypeFinder } from './elements.ts';
import { encodings, nameKey, type QualifiedName } from './namespaces.ts';
import { builtinType, findSimpleType } from './simple-types.ts';
import type { Declared, XsdModel } from './xsd-model.ts';

/** The most types that one operation may use. */
const maxTypes = 1_000;
/** The most members of the types of all operations together. Each operation has the types that it uses. */
const maxMembers = 1_000_000;

interface Type {
  name?: QualifiedName;
  declared: Declared;
  /** The content of the type, read when an operation first uses it, or the reason why it cannot be read. */
  content?: { value: TypeContent } | { reason: string };
}

/** The complex types of a file, as parts of envelopes and as definitions of forms. */
export class XsdTypes implements TypeFinder {
  readonly model: XsdModel;
  readonly #types = new Map<string, Type>();
  readonly #keys = new Map<string, string>();
  #members = 0;

  constructor(model: XsdModel) {
    this.model = model;
  }

  named(name: QualifiedName): Found {
    const simple = findSimpleType(this.model, name);
    if (simple) return simple;
    if (encodings.includes(name.namespace)) return builtinType('anyType');
    const declared = this.model.find('complexType', name);
    if (!declared) throw this.model.missing('type', name);
    const key = this.#keyFor(nameKey(name), name.name);
    if (!this.#types.has(key)) this.#types.set(key, { name, declared });
    return this.#reference(key);
  }

  /** The same declaration gets the same key, because each type is read only once. */
  inner(declared: Declared, name: string): Found {
    const key = this.#keyFor(`${this.#types.size} within`, name);
    this.#types.set(key, { declared });
    return this.#reference(key);
  }

  #reference(key: string): Found {
    return { type: key, schema: { $ref: `#/$defs/${key}` } };
  }

  /** The local name of a type, with a number if another type has it. */
  #keyFor(source: string, name: string): string {
    const known = this.#keys.get(source);
    if (known !== undefined) return known;
    const wanted = safeKey(name);
    let key = wanted;
    for (let count = 2; this.#types.has(key); count += 1) key = `${wanted.slice(0, 56)}-${count}`;
    this.#keys.set(source, key);
    return key;
  }

  #content(key: string): TypeContent {
    const type = this.#types.get(key);
    if (!type) return { members: [], properties: [], required: [], isOpen: true, isArray: false };
    type.content ??= orReason(() => readContent(this, type.declared));
    if ('reason' in type.content) throw new Unsupported(type.content.reason);
    return type.content.value;
  }

  /** Collects the types that elements use, directly or through others, and turns namespaces into indexes. */
  collect(): Collector {
    const namespaces: string[] = [];
    const types: Record<string, SoapType> = {};
    const withIndex = (namespace: string): { ns?: number } => {
      if (namespace === '') return {};
      if (!namespaces.includes(namespace)) namespaces.push(namespace);
      return { ns: namespaces.indexOf(namespace) };
    };
    const pending: string[] = [];
    const seen = new Set<string>();
    const add = ({ namespace, ...member }: Member): SoapElement => {
      if (!member.type.startsWith('xs:') && !seen.has(member.type)) {
        seen.add(member.type);
        if (seen.size > maxTypes) throw new Unsupported(`It uses more than ${maxTypes} types.`);
        pending.push(member.type);
      }
      return { ...member, ...withIndex(namespace) };
    };
    const fill = (): void => {
      for (let key = pending.shift(); key !== undefined; key = pending.shift()) {
        const { members, isOpen, isArray } = this.#content(key);
        this.#members += members.length;
        if (this.#members > maxMembers)
          throw new Unsupported('The types of the operations before it are too large. Split the description.');
        const name = this.#types.get(key)?.name;
        types[key] = {
          members: members.map(add),
          ...(isOpen && { open: true }),
          ...(isArray && { array: true }),
          ...(name && { name: name.name, ...withIndex(name.namespace) }),
        };
      }
    };
    return {
      add: (member) => {
        const element = add(member);
        fill();
        return element;
      },
      addType: (key, members) => {
        seen.add(key);
        types[key] = { members: members.map(add) };
        fill();
        return key;
      },
      finish: () => ({ types, namespaces }),
    };
  }

  /** The definitions of those of the types that are complex. */
  definitions(used: ReadonlySet<string>): Record<string, JsonSchema> {
    const entries = [...this.#types].flatMap(([key, { content }]): [string, JsonSchema][] =>
      used.has(key) && content && 'value' in content ? [[key, toSchema(content.value)]] : [],
    );
    return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }
}

export interface Collector {
  add: (member: Member) => SoapElement;
  /** Adds a type that is in no schema, and returns its key. */
  addType: (key: string, members: readonly Member[]) => string;
  finish: () => Pick<CallSoap, 'types' | 'namespaces'>;
}

export function toSchema({ properties, required, isArray }: TypeContent): JsonSchema {
  if (isArray) return { type: 'array', items: properties[0]?.[1] ?? {} };
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required: [...new Set(required)] }),
  };
}
