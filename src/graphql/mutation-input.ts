import type { InputFieldRef, InputRef } from '@pothos/core';
import { z } from 'zod';
import { graphTypes } from '#src/infra/graph-types.ts';
import { builder } from './builder.ts';

type Types = (typeof builder)['$inferSchemaTypes'];
type FieldBuilder = PothosSchemaTypes.InputFieldBuilder<Types, 'InputObject'>;
type AnyFields = Record<string, InputFieldRef<Types, unknown>>;
type Shape = Record<string, z.ZodType>;

/** Input fields of a mutation of one node. */
export const idField = (t: FieldBuilder) => ({ id: t.id({ required: true }) });

/** The input fields of a schema: the resolver receives the schema's input type. */
type FieldsOf<Schema extends z.ZodObject> = {
  [Name in keyof Schema['shape'] & string]: InputFieldRef<Types, z.input<Schema['shape'][Name]>>;
};

/**
 * The input of a mutation, derived from the schema that its service parses: types, nullability and descriptions. `besides`
 * adds the fields that are not part of it: global ids, and names and payloads that the service takes without a schema.
 */
export const mutationInput = <Schema extends z.ZodObject, Besides = unknown>(
  schema: Schema,
  besides?: (t: FieldBuilder) => Besides,
) => {
  const fields = inputFields(schema.shape);
  return {
    extensions: { schema },
    inputFields: (t: FieldBuilder) => ({ ...fields(t), ...besides?.(t) }) as FieldsOf<Schema> & Besides,
  };
};

/** The input type of a schema that has a name in the graph, for an argument of a query. */
export const inputRef = <Schema extends z.ZodType>(schema: Schema) =>
  inputType(schema) as unknown as InputRef<z.input<Schema>>;

function inputFields(shape: Shape): (t: FieldBuilder) => AnyFields {
  const fields = Object.entries(shape).map(([name, schema]) => [name, inputField(name, schema)] as const);
  return (t) => Object.fromEntries(fields.map(([name, field]) => [name, t.field(field)]));
}

interface InputField {
  type: never;
  required: boolean;
  description: string | undefined;
}

function inputField(name: string, schema: z.ZodType): InputField {
  const type = inputType(schema);
  const [nullable, optional] = [schema.isNullable(), schema.isOptional()];
  // Null is a value of JSON, so a JSON schema may be required and allow null.
  if (nullable !== optional && type !== 'JSON') {
    throw new Error(
      `The schema of ${name} must allow null where it may be left out, as the graph does: use nullish().`,
    );
  }
  return { type: type as never, required: !nullable && !optional, description: descriptionIn(schema) };
}

const wrappers = [z.ZodOptional, z.ZodNullable, z.ZodDefault, z.ZodCatch];

/** The schema within `nullish()` and the like; null if there is no wrapper. */
const unwrapped = (schema: z.ZodType): z.ZodType | null =>
  wrappers.some((wrapper) => schema instanceof wrapper) ? ((schema as z.ZodOptional).unwrap() as z.ZodType) : null;

function descriptionIn(schema: z.ZodType): string | undefined {
  const inner = unwrapped(schema);
  return schema.description ?? (inner ? descriptionIn(inner) : undefined);
}

type TypeParam = string | TypeParam[];

/** A schema without a type of its own in the graph is JSON. */
function inputType(schema: z.ZodType): TypeParam {
  const named = graphTypes.get(schema);
  if (named) return namedType(named, schema);
  const inner = unwrapped(schema);
  if (inner) return inputType(inner);
  if (schema instanceof z.ZodPipe) {
    const { in: before, out } = schema as z.ZodPipe<z.ZodType, z.ZodType>;
    return inputType(before instanceof z.ZodTransform ? out : before);
  }
  if (schema instanceof z.ZodArray) return [inputType(schema.element as z.ZodType)];
  if (schema instanceof z.ZodEnum) throw new Error(`Name the graph's type of the enum ${schema.options.join(', ')}.`);
  if (schema instanceof z.ZodNumber) return schema.format?.includes('int') ? 'Int' : 'Float';
  if (schema instanceof z.ZodBoolean) return 'Boolean';
  if (schema instanceof z.ZodDate) return 'DateTime';
  return schema instanceof z.ZodString || schema instanceof z.ZodStringFormat ? 'String' : 'JSON';
}

const inputTypes = new Set<string>();

/** The first use of the schema of an object adds its input type; a union of objects with one member each is a `@oneOf`. */
function namedType({ type, description }: { type: string; description?: string }, schema: z.ZodType): string {
  const isObject = schema instanceof z.ZodObject;
  if (inputTypes.has(type) || !(isObject || schema instanceof z.ZodUnion)) return type;
  inputTypes.add(type);
  const shape: Shape = isObject
    ? schema.shape
    : Object.assign({}, ...schema.options.map((option) => (option as z.ZodObject).shape));
  const fields = isObject ? inputFields(shape) : optionalFields(shape);
  builder.inputType(type, { isOneOf: !isObject, ...(description !== undefined && { description }), fields });
  return type;
}

const optionalFields = (shape: Shape) =>
  inputFields(Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, schema.nullish()])));
