import type { ConfigField } from '#src/automation/node-api/manifest.ts';
import {
  integerFormats,
  largeInteger,
  maxTextLength,
  textFormats,
} from '#src/automation/node-api/value-checks.rules.ts';
import { dialect } from '#src/infra/json-schema/fragments.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * A JSON Schema (2020-12) of a node's config before its expressions are evaluated: the same rules as
 * `checkFieldValues`, as far as a schema can express them. Text with an expression passes for any type, and an empty
 * value for a field that may be left out.
 */
export const buildConfigSchema = (fields: readonly ConfigField[]): JsonSchema => ({
  $schema: dialect,
  type: 'object',
  properties: Object.fromEntries(fields.map((field) => [field.key, buildProperty(field)])),
  required: fields.filter(isNeeded).map(({ key }) => key),
  $defs: { expression: { type: 'string', pattern: '\\{\\{' }, empty: { enum: [null, ''] } },
});

const expression = { $ref: '#/$defs/expression' };
const empty = { $ref: '#/$defs/empty' };

const isNeeded = ({ required, default: byDefault }: ConfigField): boolean =>
  required === true && byDefault === undefined;

function buildProperty(field: ConfigField): JsonSchema {
  const { default: byDefault } = field;
  const shapes = listShapes(field);
  return {
    ...texts(field),
    ...(byDefault !== undefined && { default: byDefault }),
    ...(isNeeded(field) && { not: empty }),
    ...(shapes !== 'any' && { anyOf: [...shapes, expression, ...(isNeeded(field) ? [] : [empty])] }),
  };
}

const texts = ({ key, label, help }: ConfigField): JsonSchema => ({
  title: label ?? key,
  ...(help !== undefined && { description: help }),
});

/** The schema of a value within a field's value. Empty text counts as a value here. */
function buildInner(field: ConfigField): JsonSchema {
  const shapes = listShapes(field);
  if (shapes === 'any') return texts(field);
  return { ...texts(field), anyOf: [...shapes, expression, ...(field.nullable === true ? [{ type: 'null' }] : [])] };
}

const buildObject = (fields: readonly ConfigField[]): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(fields.map((field) => [field.key, buildInner(field)])),
  required: fields.flatMap(({ key, required }) => (required === true ? [key] : [])),
});

function listVariants({ variants = [], discriminator }: ConfigField): JsonSchema[] {
  const named = (value: JsonSchema): JsonSchema =>
    discriminator === undefined
      ? {}
      : { type: 'object', properties: { [discriminator]: value }, required: [discriminator] };
  const shapes = variants.map(({ name, label, field }) => ({
    title: label ?? name,
    allOf: [named({ const: name }), buildInner(field)],
  }));
  return discriminator === undefined ? shapes : [...shapes, named(expression)];
}

/** The schemas of a field's value if it is not an expression. */
function listShapes(field: ConfigField): JsonSchema[] | 'any' {
  const { type, options = [], dynamic, format = '', fields = [], items } = field;
  switch (type) {
    case 'json':
    case 'expression':
      return 'any';
    case 'select':
      if (dynamic === true) return 'any';
      return options.map(({ value, label }) => ({ const: value, ...(label !== undefined && { title: label }) }));
    case 'list':
      return [{ type: 'array', ...(items && { items: buildInner(items) }) }];
    case 'object':
      return [buildObject(fields)];
    case 'variant':
      return listVariants(field);
    case 'number':
      return integerFormats.includes(format)
        ? [{ type: 'integer' }, { type: 'string', pattern: largeInteger }]
        : [{ type }];
    case 'boolean':
      return [{ type }];
    case 'credentials-ref':
      return [
        { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
        { type: 'string', maxLength: 64 },
      ];
    default:
      return [buildText(field)];
  }
}

function buildText({ type, format = '', pattern }: ConfigField): JsonSchema {
  const known = Object.hasOwn(textFormats, format) ? textFormats[format]?.pattern : undefined;
  const rules = [
    ...(type === 'url' ? [{ pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' }] : []),
    ...(known === undefined ? [] : [{ pattern: known }]),
    ...patterns(pattern),
  ];
  return { type: 'string', maxLength: maxTextLength, ...(rules.length > 0 && { allOf: rules }) };
}

/** A manifest's patterns are of RE2; one that a JSON Schema's readers could not compile (`(?i)`) is left to `fields`. */
function patterns(pattern: string | undefined): { pattern: string }[] {
  if (pattern === undefined) return [];
  try {
    // oxlint-disable-next-line no-new -- the constructor is called to see whether the pattern compiles; its result is not needed
    new RegExp(pattern, 'u');
    return [{ pattern }];
  } catch {
    return [];
  }
}
