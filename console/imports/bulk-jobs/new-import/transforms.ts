import type { Source } from './settings.ts';
import { columnOf } from './settings.ts';

/** What can be done to the cells of a column by one choice; profiles can do more. */
export const transforms = {
  asIs: [],
  trim: ['trim'],
  upper: ['trim', 'upper'],
  zeros: ['trim', 'strip_leading_zeros'],
  german: [{ number: { decimal: ',', group: '.' } }],
  english: [{ number: { decimal: '.', group: ',' } }],
  date: [{ date: 'DD.MM.YYYY' }],
} as const satisfies Readonly<Record<string, readonly unknown[]>>;

export type TransformKey = keyof typeof transforms;

/** The choice that a source has; undefined for what only a profile can say. */
export function transformOf(source: Source): TransformKey | undefined {
  const given = typeof source === 'object' ? (source['transforms'] ?? []) : [];
  const keys = Object.keys(transforms) as TransformKey[];
  return keys.find((key) => JSON.stringify(transforms[key]) === JSON.stringify(given));
}

export function withTransform(source: Source, key: TransformKey): Source {
  const column = columnOf(source);
  if (column === undefined) return source;
  const others = typeof source === 'object' ? source : { column };
  return key === 'asIs' && Object.keys(others).every((name) => name === 'column' || name === 'transforms')
    ? column
    : { ...others, transforms: transforms[key] };
}
