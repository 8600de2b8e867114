import { plainText } from '#src/automation/connectors/descriptions/plain-text.ts';
import type { ConfigField, FieldOption, JsonSchema } from '#src/automation/node-api/manifest.ts';
import { isLinearPattern } from '#src/infra/json-schema/compile-schema.ts';
import { allowsNull, listShapes, listTypes } from './resolve-schema.ts';

const maxOptions = 1_000;

/** Makes a field from a schema: its type, its texts and its checks, without members or items. */
export function describeValue(key: string, schema: JsonSchema, isInner: boolean): ConfigField {
  const { title, description, default: byDefault, deprecated } = schema;
  const kind = chooseKind(schema);
  const help = [
    typeof description === 'string' ? plainText(description, 300) : '',
    // An inner default is only shown, not sent. The API applies it itself, and sending it in a change would overwrite the stored value.
    isInner && isShort(byDefault) ? `Default: ${JSON.stringify(byDefault)}.` : '',
    deprecated === true ? 'Deprecated.' : '',
  ]
    .filter((part) => part !== '')
    .join(' ');
  const label = typeof title === 'string' ? plainText(title, 100) : '';
  return {
    key,
    ...kind,
    ...(label !== '' && label !== key && { label }),
    ...(help !== '' && { help }),
    ...(isInner && allowsNull(schema) && kind.type !== 'json' && { nullable: true }),
  };
}

const isShort = (value: unknown): boolean =>
  ['string', 'number', 'boolean'].includes(typeof value) && JSON.stringify(value).length <= 60;

type Kind = Pick<ConfigField, 'type' | 'options' | 'format' | 'pattern'>;

function chooseKind(schema: JsonSchema): Kind {
  const options = listOptions(schema);
  if (options) return { type: 'select', options };
  const shapes = listShapes(schema).filter((shape) => shape['type'] !== 'null');
  const types = listTypes(schema);
  if (shapes.length > 0)
    return types.every((type) => type === 'object') ? { type: 'variant' } : chooseByType(types, schema);
  if (types.length > 1) return { type: 'json' };
  return chooseByType(types, schema);
}

function chooseByType([type]: string[], schema: JsonSchema): Kind {
  const { format } = schema;
  const known = typeof format === 'string' && format !== '' && format.length <= 64 ? { format } : {};
  switch (type ?? guessType(schema)) {
    case 'object':
      return { type: 'object' };
    case 'array':
      return { type: 'list' };
    case 'boolean':
      return { type: 'boolean' };
    case 'integer':
      return { type: 'number', format: format === 'int32' || format === 'int64' ? format : 'integer' };
    case 'number':
      return { type: 'number', ...known };
    case 'string':
      return { type: 'string', ...known, ...choosePattern(schema) };
    default:
      return { type: 'json' };
  }
}

const guessType = (schema: JsonSchema): string | undefined =>
  schema['properties'] === undefined ? (schema['items'] === undefined ? undefined : 'array') : 'object';

/** A pattern that RE2 does not support is left to the API to check. */
function choosePattern({ pattern }: JsonSchema): Pick<Kind, 'pattern'> {
  if (typeof pattern !== 'string' || pattern === '' || pattern.length > 500) return {};
  return isLinearPattern(pattern) ? { pattern } : {};
}

function listOptions(schema: JsonSchema): FieldOption[] | undefined {
  const values = schema['const'] === undefined ? schema['enum'] : [schema['const']];
  if (!Array.isArray(values)) return undefined;
  const options = [...new Set(values as unknown[])].filter(
    (value): value is string | number | boolean =>
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean',
  );
  const isWhole = options.length + (values.includes(null) ? 1 : 0) === new Set(values).size;
  return isWhole && options.length > 0 && options.length <= maxOptions
    ? options.map((value) => ({ value }))
    : undefined;
}
