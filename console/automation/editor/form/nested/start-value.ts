import type { Field } from './field.ts';

const texts: ReadonlySet<Field['type']> = new Set(['STRING', 'TEXT']);

/** What a member begins with when it is added; undefined where only the user knows. */
export function startValue({ type, format, options, default: byDefault, nested }: Field): unknown {
  if (byDefault != null) return byDefault;
  if (type === 'OBJECT' && nested?.fields) return {};
  if (type === 'LIST' && nested?.items) return [];
  return texts.has(type) && format === null && options.length === 0 ? '' : undefined;
}
