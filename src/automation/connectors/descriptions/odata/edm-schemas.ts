import { safeKey } from '#src/automation/connectors/descriptions/names.ts';
import type { JsonSchema } from '#src/automation/node-api/manifest.ts';
import { readTypeName, withBases, type EdmModel } from './edm-model.ts';
import { attribute, listChildren, type EdmElement } from './edmx.ts';

const integer = (format: string): JsonSchema => ({ type: 'integer', format });
const text = (format: string): JsonSchema => ({ type: 'string', format });

/** The JSON schemas of the protocol's types in version 4. */
const primitives: Readonly<Record<string, JsonSchema>> = {
  'Edm.String': { type: 'string' },
  'Edm.Boolean': { type: 'boolean' },
  'Edm.Byte': integer('uint8'),
  'Edm.SByte': integer('int8'),
  'Edm.Int16': integer('int16'),
  'Edm.Int32': integer('int32'),
  'Edm.Int64': integer('int64'),
  'Edm.Decimal': { type: 'number' },
  'Edm.Single': { type: 'number', format: 'float' },
  'Edm.Double': { type: 'number', format: 'double' },
  'Edm.Guid': text('uuid'),
  'Edm.Date': text('date'),
  'Edm.DateTimeOffset': text('date-time'),
  'Edm.TimeOfDay': { type: 'string' },
  'Edm.Duration': { type: 'string' },
  'Edm.Binary': text('byte'),
};

/** Version 2 writes large and fractional numbers as text, and instants as `/Date(1700000000000)/`. */
const oldTexts = new Set([
  'Edm.Int64',
  'Edm.Decimal',
  'Edm.Single',
  'Edm.Double',
  'Edm.Float',
  'Edm.DateTime',
  'Edm.DateTimeOffset',
  'Edm.Time',
]);

/** Makes the schemas of a service's types. The service's own types become definitions, which are read when something refers to them. */
export class EdmSchemas {
  readonly #model: EdmModel;
  /** Full names, keyed by the keys of the definitions. */
  readonly #names = new Map<string, string>();

  constructor(model: EdmModel) {
    this.#model = model;
  }

  /** The definitions that schemas refer to so far, sorted by key. */
  definitions(): Record<string, JsonSchema> {
    const definitions: [key: string, schema: JsonSchema][] = [];
    // The map grows while types refer to further ones. Recursion would overflow the stack on a long chain of types.
    for (const [key, name] of this.#names) definitions.push([key, this.#define(name)]);
    return Object.fromEntries(definitions.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** The schema of a property, a parameter or a return value. An unknown type allows everything. */
  typed(element: EdmElement, typeAttribute = 'Type'): JsonSchema {
    const { name, isList } = readTypeName(attribute(element, typeAttribute), this.#model);
    const schema = this.#named(name, element);
    if (isList) return { type: 'array', items: schema };
    const isNullable = attribute(element, 'Nullable') !== 'false' && element.name === 'Property';
    return isNullable && typeof schema['type'] === 'string' ? { ...schema, type: [schema['type'], 'null'] } : schema;
  }

  reference(name: string): JsonSchema {
    const key = safeKey(name);
    this.#names.set(key, name);
    return { $ref: `#/$defs/${key}` };
  }

  #named(name: string, element: EdmElement): JsonSchema {
    if (this.#model.types.has(name)) return this.reference(name);
    if (this.#model.isV2 && oldTexts.has(name)) return { type: 'string' };
    const schema = Object.hasOwn(primitives, name) ? (primitives[name] ?? {}) : {};
    const maxLength = Number(attribute(element, 'MaxLength'));
    return name === 'Edm.String' && Number.isSafeInteger(maxLength) && maxLength > 0
      ? { ...schema, maxLength }
      : { ...schema };
  }

  #define(name: string): JsonSchema {
    const type = this.#model.types.get(name);
    if (type?.name === 'EnumType') return { type: 'string', enum: this.#members(type) };
    if (type?.name === 'TypeDefinition') return this.#named(attribute(type, 'UnderlyingType'), type);
    const properties = withBases(name, this.#model).flatMap((part) => [
      ...listChildren(part, 'Property').map((property) => [attribute(property, 'Name'), this.typed(property)] as const),
      // Version 2 declares the type of a link elsewhere, and wraps lists of links in answers.
      ...listChildren(part, 'NavigationProperty').map(
        (link) => [attribute(link, 'Name'), this.#model.isV2 ? {} : this.typed(link)] as const,
      ),
    ]);
    return { type: 'object', properties: Object.fromEntries(properties.filter(([key]) => key !== '__proto__')) };
  }

  #members(type: EdmElement): string[] {
    const names = listChildren(type, 'Member').map((member) => attribute(member, 'Name'));
    return names.length > 0 ? [...new Set(names)] : [''];
  }
}
