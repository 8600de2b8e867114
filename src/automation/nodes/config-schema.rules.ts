import { maxTextLength } from '#src/automation/node-api/field-values.rules.ts';
import type { ConfigField } from '#src/automation/node-api/manifest.ts';
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
  const { key, label, help, default: byDefault } = field;
  const shapes = listShapes(field);
  return {
    title: label ?? key,
    ...(help !== undefined && { description: help }),
    ...(byDefault !== undefined && { default: byDefault }),
    ...(shapes === 'any'
      ? isNeeded(field) && { not: empty }
      : { anyOf: [...shapes, expression, ...(isNeeded(field) ? [] : [empty])] }),
  };
}

/** The schema of a field's value, when it is neither empty nor an expression. */
function listShapes({ type, options = [], dynamic, pattern }: ConfigField): JsonSchema[] | 'any' {
  switch (type) {
    case 'json':
    case 'expression':
      return 'any';
    case 'select':
      if (dynamic === true) return 'any';
      return options.flatMap(({ value, label }) =>
        value === '' ? [] : [{ const: value, ...(label !== undefined && { title: label }) }],
      );
    case 'list':
      return [{ type: 'array' }];
    case 'number':
    case 'boolean':
      return [{ type }];
    case 'credentials-ref':
      return [
        { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
        { type: 'string', minLength: 1, maxLength: 64 },
      ];
    case 'url':
      return [{ ...text, allOf: [{ pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' }, ...patterns(pattern)] }];
    default:
      return [{ ...text, ...patterns(pattern)[0] }];
  }
}

const text = { type: 'string', minLength: 1, maxLength: maxTextLength };

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
