import type { Field } from './field.ts';

const texts: ReadonlySet<Field['type']> = new Set(['STRING', 'TEXT']);

/** The first value of an added member; undefined if only the user can know it. */
export function startValue({ type, format, options, default: byDefault, nested }: Field): unknown {
  if (byDefault != null) return byDefault;
  if (type === 'OBJECT' && nested?.fields) return {};
  if (type === 'LIST' && nested?.items) return [];
  return texts.has(type) && format === null && options.length === 0 ? '' : undefined;
}
