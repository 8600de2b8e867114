import type { ConfigField } from '#src/automation/node-api/manifest.ts';

const kinds: Partial<Record<ConfigField['type'], string>> = { text: 'string', select: 'string', url: 'string' };

const readKind = ({ type, options = [] }: ConfigField): string => {
  if (type !== 'select') return kinds[type] ?? type;
  const types = new Set(options.map(({ value }) => typeof value));
  return types.size === 1 ? [...types].join('') : 'json';
};

/**
 * Says in a few words why a field may now refuse values that it accepted before; undefined if it accepts all of them. A field that is or
 * was a JSON field is not judged, because forms use JSON for values that are too deep or too large for them.
 */
export function findNarrowing(before: ConfigField, after: ConfigField): string | undefined {
  const [from, to] = [readKind(before), readKind(after)];
  if ([from, to].some((kind) => kind === 'json' || kind === 'expression')) return undefined;
  if (from !== to) return `type ${from} became ${to}`;
  const kept = new Set(after.options?.map(({ value }) => value));
  const lost = (before.options ?? []).map(({ value }) => value).filter((value) => !kept.has(value));
  if (after.options && !before.options) return 'only listed values are allowed now';
  if (after.options && lost.length > 0) return `no longer allowed: ${lost.slice(0, 10).join(', ')}`;
  if (after.format !== undefined && after.format !== before.format && !isWider(before.format, after.format))
    return `format ${after.format}${before.format === undefined ? '' : ` instead of ${before.format}`}`;
  if (after.pattern !== undefined && after.pattern !== before.pattern) return 'the pattern changed';
  if (after.type === 'url' && before.type !== 'url') return 'only URLs are allowed now';
  return undefined;
}

/** Formats in the order of the values that they allow: each allows all values of the formats to its left. */
const widening = [
  ['int32', 'int64', 'integer'],
  ['float', 'double'],
];

const isWider = (before: string | undefined, after: string): boolean =>
  widening.some(
    (formats) => before !== undefined && formats.includes(before) && formats.includes(after, formats.indexOf(before)),
  );
