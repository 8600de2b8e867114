import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { z } from 'zod';
import type { MutationInput } from '#src/graphql/mutation-input.ts';

/** What a mutation's GraphQL input type and its declaration (`takes(schema, ...keys)`) disagree on, a sentence each. */
export function inputDifferences(type: GraphQLInputObjectType, { schema, keys }: MutationInput): string[] {
  const shape = (schema?.shape ?? {}) as Record<string, z.ZodType>;
  const fields = type.getFields();
  const inSchema = Object.entries(shape).flatMap(([name, member]) =>
    fields[name] ? memberDifferences(name, fields[name].type, member) : [`The GraphQL input has no field ${name}.`],
  );
  const beside = keys.flatMap((name) => {
    if (name in shape) return [`${name} is in the schema and need not be named beside it.`];
    const field = fields[name];
    if (!field) return [`The GraphQL input has no field ${name}.`];
    const kind = kindOfType(field.type);
    return unparsedKinds.has(kind) ? [] : [`${name} is of kind ${kind} and belongs in the schema.`];
  });
  const forgotten = Object.keys(fields).filter((name) => !(name in shape) && !keys.includes(name));
  return [...inSchema, ...beside, ...forgotten.map((name) => `Neither the schema nor the other keys have ${name}.`)];
}

/** Ids, names, payloads and files: what a service may take without a schema. */
const unparsedKinds = new Set(['string', 'JSON', 'file']);

function memberDifferences(name: string, type: GraphQLInputType, member: z.ZodType): string[] {
  const [wanted, found] = [kindOfSchema(member), kindOfType(type)];
  const list = getNullableType(type);
  const itemType = isListType(list) ? getNullableType(list.ofType) : list;
  const item = itemOf(member);
  // Objects within are compared field by field.
  if (isInputObjectType(itemType) && !itemType.isOneOf && item instanceof z.ZodObject) {
    return [
      ...inputDifferences(itemType, { schema: item, keys: [] }).map((difference) => `${name}: ${difference}`),
      ...presenceDifferences(name, type, member),
    ];
  }
  const kinds = wanted === found ? [] : [`${name} is of kind ${found} in GraphQL and of kind ${wanted} in the schema.`];
  return [...kinds, ...presenceDifferences(name, type, member)];
}

/** What a schema of an optional value or of a list is made of. */
function itemOf(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return itemOf(schema.unwrap() as z.ZodType);
  return schema instanceof z.ZodArray ? (schema.element as z.ZodType) : schema;
}

function presenceDifferences(name: string, type: GraphQLInputType, member: z.ZodType): string[] {
  const mayBeNull = member.safeParse(null).success;
  const mayBeAbsent = member.safeParse(undefined).success;
  if (isNonNullType(type)) return mayBeNull || mayBeAbsent ? [`${name} is non-null in GraphQL only.`] : [];
  if (!mayBeNull) return [`${name} may be null in GraphQL only${mayBeAbsent ? ': use nullish()' : ''}.`];
  // Null is a value of JSON, so GraphQL cannot ask for a JSON value and allow null.
  if (!mayBeAbsent && kindOfType(type) !== 'JSON') return [`${name} may be left out in GraphQL only.`];
  return [];
}

const kindsOfScalars: Record<string, string> = {
  ID: 'string',
  String: 'string',
  Int: 'integer',
  Long: 'integer',
  Float: 'number',
  Boolean: 'boolean',
  DateTime: 'date',
  JSON: 'JSON',
  Base64: 'file',
};

const enumKind = (values: unknown[]): string => `enum of ${values.map(String).toSorted().join(', ')}`;

/** Of an input type with `@oneOf`, and of a union of objects with one member each. */
const oneOfKind = (members: string[]): string => `one of ${members.toSorted().join(', ')}`;

function kindOfType(given: GraphQLInputType): string {
  const type = getNullableType(given);
  if (isListType(type)) return `list of ${kindOfType(type.ofType)}`;
  if (isInputObjectType(type) && type.isOneOf) return oneOfKind(Object.keys(type.getFields()));
  if (isEnumType(type)) return enumKind(type.getValues().map(({ value }) => value as unknown));
  return kindsOfScalars[type.name] ?? type.name;
}

function kindOfSchema(schema: z.ZodType): string {
  if (schema instanceof z.ZodPipe) {
    const { in: before, out } = schema as z.ZodPipe<z.ZodType, z.ZodType>;
    return kindOfSchema(before instanceof z.ZodTransform ? out : before);
  }
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodCatch
  ) {
    return kindOfSchema(schema.unwrap() as z.ZodType);
  }
  if (schema instanceof z.ZodArray) return `list of ${kindOfSchema(schema.element as z.ZodType)}`;
  if (schema instanceof z.ZodUnion) {
    const members = schema.options.map((option) =>
      option instanceof z.ZodObject
        ? Object.keys(option.shape as object).join(' and ')
        : kindOfSchema(option as z.ZodType),
    );
    return oneOfKind(members);
  }
  if (schema instanceof z.ZodEnum) return enumKind(schema.options);
  if (schema instanceof z.ZodNumber) return schema.format?.includes('int') ? 'integer' : 'number';
  if (schema instanceof z.ZodBoolean) return 'boolean';
  if (schema instanceof z.ZodDate) return 'date';
  if (schema instanceof z.ZodString || schema instanceof z.ZodStringFormat) return 'string';
  return 'JSON';
}
