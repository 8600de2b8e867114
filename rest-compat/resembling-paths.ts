import { didYouMean } from 'graphql/jsutils/didYouMean.js';
import { resembling } from '#src/infra/suggestion.ts';
import type { Face } from './face.ts';

/** Longer paths are no slips, and a hint repeats them. */
const maxLength = 200;

/**
 * A sentence with the paths of the face that `url` resembles: those that differ in one segment, and there by a slip. Undefined where
 * there is none. Ids stay as they were sent.
 */
export function resemblingPaths({ mounts, routes }: Face, url: string): string | undefined {
  const [path = ''] = url.split('?', 1);
  if (path.length > maxLength) return undefined;
  const asked = path.replace(/\/+$/, '').split('/');
  const known = mounts
    .flatMap(({ prefix, below = '' }) =>
      routes.filter((row) => row.path.startsWith(below)).map((row) => `${prefix}${row.path}`.split('/')),
    )
    .filter(({ length }) => length === asked.length);
  /** What known paths have at a place where the asked one has something else. */
  const instead = new Map<number, string[]>();
  for (const segments of known) {
    const places = differing(segments, asked);
    const [at] = places;
    if (at === undefined && path.endsWith('/')) return `There is no such path.${didYouMean([asked.join('/')])}`;
    if (at !== undefined && places.length === 1) instead.set(at, [...(instead.get(at) ?? []), segments[at] ?? '']);
  }
  const meant = [...instead].flatMap(([at, segments]) =>
    resembling(asked[at] ?? '', new Set(segments)).map((segment) => asked.with(at, segment).join('/')),
  );
  return meant.length > 0 ? `There is no such path.${didYouMean(meant.slice(0, 3))}` : undefined;
}

/** The places at which a path is not as a known one of its length. An id stands for anything. */
function differing(known: string[], asked: string[]): number[] {
  return known.flatMap((segment, at) =>
    segment === asked[at] || (segment.startsWith('{') && asked[at] !== '') ? [] : [at],
  );
}
