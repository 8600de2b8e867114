import {
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isScalarType,
  type GraphQLArgument,
  type GraphQLEnumType,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLType,
} from 'graphql/type/definition.js';
import { safeKey } from '#src/automation/connectors/descriptions/names.ts';
import { plainText } from '#src/automation/connectors/descriptions/plain-text.ts';
import type { JsonSchema } from '#src/automation/node-api/manifest.ts';

/** Scalars with a known JSON form: the built-in ones, and custom ones whose names are a convention. */
const scalars: Readonly<Record<string, JsonSchema>> = {
  ID: { type: 'string' },
  String: { type: 'string' },
  Int: { type: 'integer', format: 'int32' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  Date: { type: 'string', format: 'date' },
  DateTime: { type: 'string', format: 'date-time' },
  UUID: { type: 'string', format: 'uuid' },
};

/** Schemas of types that a request sends; input objects and enums are definitions, which may be circular. */
export class InputSchemas {
  readonly #named = new Map<string, GraphQLEnumType | GraphQLInputObjectType>();

  /** The definitions that schemas refer to so far, sorted by name. */
  definitions(): Record<string, JsonSchema> {
    const definitions: [key: string, schema: JsonSchema][] = [];
    // The map grows while input objects refer to further ones. Recursion would overflow the stack on a long chain of them.
    for (const [key, type] of this.#named) {
      definitions.push([key, isEnumType(type) ? enumSchema(type) : this.#inputObject(type)]);
    }
    return Object.fromEntries(definitions.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** The schema of an object with one member for each argument or field. */
  object(fields: readonly (GraphQLArgument | GraphQLInputField)[]): JsonSchema {
    const required = fields.filter(isRequired).map(({ name }) => name);
    return {
      type: 'object',
      properties: Object.fromEntries(fields.map((field) => [field.name, this.#field(field)])),
      ...(required.length > 0 && { required }),
    };
  }

  /** The schema of a type. Types allow null unless they say otherwise. */
  type(type: GraphQLType): JsonSchema {
    if (isNonNullType(type)) return this.#present(type.ofType);
    const schema = this.#present(type);
    if (typeof schema['type'] === 'string') return { ...schema, type: [schema['type'], 'null'] };
    return Object.keys(schema).length === 0 ? schema : { anyOf: [schema, { type: 'null' }] };
  }

  #field(field: GraphQLArgument | GraphQLInputField): JsonSchema {
    const description = plainText(field.description ?? '', 300);
    const value = field.defaultValue;
    return {
      ...this.type(field.type),
      ...(description !== '' && { description }),
      ...(isPlain(value) && { default: value }),
      ...(field.deprecationReason != null && { deprecated: true }),
    };
  }

  #present(type: GraphQLType): JsonSchema {
    if (isListType(type)) return { type: 'array', items: this.type(type.ofType as GraphQLType) };
    if (isScalarType(type)) return Object.hasOwn(scalars, type.name) ? { ...scalars[type.name] } : {};
    return isEnumType(type) || isInputObjectType(type) ? this.#reference(type) : {};
  }

  #inputObject(type: GraphQLInputObjectType): JsonSchema {
    const schema = this.object(Object.values(type.getFields()));
    return type.isOneOf ? { ...schema, minProperties: 1, maxProperties: 1 } : schema;
  }

  #reference(type: GraphQLEnumType | GraphQLInputObjectType): JsonSchema {
    const key = safeKey(type.name);
    this.#named.set(key, type);
    return { $ref: `#/$defs/${key}` };
  }
}

const enumSchema = (type: GraphQLEnumType): JsonSchema => ({
  type: 'string',
  enum: type.getValues().map(({ name }) => name),
});

const isRequired = (field: GraphQLArgument | GraphQLInputField): boolean =>
  isNonNullType(field.type) && field.defaultValue === undefined;

/**
 * Converts a default to JSON: the library gives the default of an enum as its internal value, and of an input object as an object without a
 * prototype.
 */
const isPlain = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);
