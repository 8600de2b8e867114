import type { JsonSchema } from '#src/automation/node-api/manifest.ts';

const integer = (format?: string): JsonSchema => ({ type: 'integer', ...(format !== undefined && { format }) });
const text = (format: string): JsonSchema => ({ type: 'string', format });

/** The JSON schemas of the types of XML Schema whose values are not just text. */
const schemas: Readonly<Record<string, JsonSchema>> = {
  anyType: {},
  anySimpleType: {},
  boolean: { type: 'boolean' },
  byte: integer('int32'),
  short: integer('int32'),
  int: integer('int32'),
  unsignedByte: integer('int32'),
  unsignedShort: integer('int32'),
  unsignedInt: integer('int64'),
  long: integer('int64'),
  unsignedLong: integer(),
  integer: integer(),
  positiveInteger: integer(),
  nonNegativeInteger: integer(),
  negativeInteger: integer(),
  nonPositiveInteger: integer(),
  decimal: { type: 'number' },
  float: { type: 'number', format: 'float' },
  double: { type: 'number', format: 'double' },
  date: text('date'),
  dateTime: text('date-time'),
  base64Binary: text('byte'),
};

export const builtinSchema = (name: string): JsonSchema =>
  Object.hasOwn(schemas, name) ? (schemas[name] ?? {}) : { type: 'string' };

export const isNumeric = (name: string): boolean => ['integer', 'number'].includes(String(builtinSchema(name)['type']));
