import { checkFieldValues } from './field-values.rules.ts';
import { asList, findListFields, withLists } from './list-fields.ts';
import type { ConfigField } from './manifest.ts';
import { NodeError } from './node-error.ts';
import { assertFilled, findRequiredFields } from './required-fields.ts';

type Config = Readonly<Record<string, unknown>>;

/** True if the field describes its members, items or shapes by fields of their own. */
export const isNested = ({ fields, items, variants }: ConfigField): boolean =>
  fields !== undefined || items !== undefined || variants !== undefined;

/** Turns the value of every list field within objects and lists into a list, as `withLists` does for the config's own fields. */
export const withInnerLists = (fields: readonly ConfigField[], config: Config): Config =>
  mapMembers(config, fields, true);

function mapMembers(value: Config, fields: readonly ConfigField[], isOutermost: boolean): Config {
  const changed: [string, unknown][] = [];
  for (const field of fields) {
    if (!Object.hasOwn(value, field.key)) continue;
    const given = value[field.key];
    const made = isOutermost && !isNested(field) ? given : withListsIn(field, given);
    if (made !== given) changed.push([field.key, made]);
  }
  return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) };
}

function withListsIn(field: ConfigField, value: unknown): unknown {
  const { type, fields, items, nullable } = field;
  if (value === undefined || (value === null && nullable === true)) return value;
  if (type === 'object' && fields && isObject(value)) return mapMembers(value, fields, false);
  if (type === 'variant') return withListsInShape(field, value);
  if (type !== 'list') return value;
  const list = asList(value);
  const made = items ? list.map((item) => withListsIn(items, item)) : list;
  const isSame = Array.isArray(value) && made.every((item, index) => item === value[index]);
  return isSame ? value : made;
}

/** Handles only variants with a discriminator: without one, the intended shape is unknown. */
function withListsInShape({ variants = [], discriminator }: ConfigField, value: unknown): unknown {
  if (discriminator === undefined || !isObject(value)) return value;
  const shape = variants.find(({ name }) => name === value[discriminator]);
  return shape ? withListsIn(shape.field, value) : value;
}

const isObject = (value: unknown): value is Config =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Throws a NodeError (INVALID_CONFIG) that names the members of an evaluated config that do not fit the node's fields. */
export function assertFits(fields: readonly ConfigField[], config: Config): void {
  const issues = checkFieldValues(fields, config);
  if (issues.length === 0) return;
  const shown = issues.slice(0, 5).map(({ key, path, message }) => `${['config', key, ...path].join('.')}: ${message}`);
  throw new NodeError('INVALID_CONFIG', shown.join(' '));
}

/**
 * Prepares an evaluated config for the node: turns list values into lists and checks the fields. Throws a NodeError if the config does not
 * fit.
 */
export function fitConfig(
  fields: readonly ConfigField[],
  written: Config,
  evaluated: unknown,
): Record<string, unknown> {
  const config = withLists(findListFields(fields), written, evaluated) as Record<string, unknown>;
  assertFilled(findRequiredFields(fields), config);
  if (!fields.some(isNested)) return config;
  const whole = withInnerLists(fields, config);
  assertFits(fields, whole);
  return whole;
}
