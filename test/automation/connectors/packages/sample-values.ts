import fc from 'fast-check';
import type { ConfigField, JsonSchema } from '#src/automation/node-api/manifest.ts';

/** The number of levels on which optional members have values too. */
const filledLevels = 3;

/**
 * Makes a config for a form, with values for every field of the first levels and, deeper, only for required fields. The same form gives the
 * same config.
 */
export const sampleConfig = (fields: readonly ConfigField[]): Record<string, unknown> =>
  Object.fromEntries(
    fields
      .filter(({ key }) => !['base_url', 'all_pages', 'max_items', 'page_position', 'selection'].includes(key))
      .map((field) => [field.key, sampleValue(field, 0)]),
  );

/** False for a value whose content the form does not describe. */
const isKnown = ({ type, fields, items }: ConfigField): boolean =>
  type !== 'json' && (type !== 'object' || fields !== undefined) && (type !== 'list' || items !== undefined);

const texts: Readonly<Record<string, string>> = {
  date: '2026-03-01',
  'date-time': '2026-03-01T12:00:00Z',
  uuid: '0b5f3c1e-8a44-4d67-9d53-1f2a7c6b9e10',
  email: 'ada@shop.example',
  uri: 'https://shop.example/a',
  url: 'https://shop.example/a',
  binary: 'YWJj',
  byte: 'YWJj',
};

function sampleValue(field: ConfigField, level: number): unknown {
  const { type, format = '', pattern, options, fields = [], items, variants = [], discriminator } = field;
  switch (type) {
    case 'credentials-ref':
      return '7';
    case 'object': {
      const members = fields.filter((member) => member.required === true || (level < filledLevels && isKnown(member)));
      return Object.fromEntries(members.map((member) => [member.key, sampleValue(member, level + 1)]));
    }
    case 'list':
      return items && isKnown(items) ? [sampleValue(items, level + 1)] : [];
    case 'variant': {
      const [shape] = variants;
      if (!shape) throw new Error(`The variant ${field.key} has no shape.`);
      const value = sampleValue(shape.field, level);
      return discriminator === undefined ? value : { ...(value as object), [discriminator]: shape.name };
    }
    case 'select':
      return options?.[0]?.value;
    case 'number':
      return 7;
    case 'boolean':
      return true;
    case 'json':
      return 'a b';
    default:
      if (pattern !== undefined)
        return fc.sample(fc.stringMatching(new RegExp(pattern, 'u')), { numRuns: 1, seed: 7 })[0];
      return texts[format] ?? 'ä b/c';
  }
}

/** Makes a body that fits the schema of a message, with every described member. */
export function samplePayload({ type, enum: values, anyOf, properties, items }: JsonSchema): unknown {
  if (Array.isArray(values)) return values[0];
  const [shape] = (anyOf ?? []) as JsonSchema[];
  const [only] = [type].flat();
  if (shape && properties === undefined) return samplePayload(shape);
  if (only === 'object' || properties !== undefined) {
    const members = Object.entries((properties ?? {}) as Record<string, JsonSchema>);
    return Object.fromEntries(members.map(([name, inner]) => [name, samplePayload(inner)]));
  }
  if (only === 'array') return items === undefined ? [] : [samplePayload(items as JsonSchema)];
  return { string: 'a b', integer: 7, number: 7.5, boolean: true }[String(only)] ?? null;
}
