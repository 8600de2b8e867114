import { didYouMean } from 'graphql/jsutils/didYouMean.js';
import { resembling } from '#src/infra/text/suggestion.ts';
import type { RestApi } from './rest-api.ts';

/** Longer paths are no typing errors, and a hint repeats the path. */
const maxLength = 200;

/**
 * A sentence with the paths of the API that `url` resembles: those that differ in one segment, by a typing error. Undefined if there are
 * none. Ids stay as they were sent. A path with an id that cannot be decoded, such as `%ff`, has no suggestions: the closest segment to
 * `enable` would be `disable`.
 */
export function resemblingPaths({ mounts, routes }: RestApi, url: string): string | undefined {
  const [path = ''] = url.split('?', 1);
  if (path.length > maxLength) return undefined;
  const asked = path.replace(/\/+$/, '').split('/');
  const known = mounts
    .flatMap(({ prefix, below = '' }) =>
      routes.filter((row) => row.path.startsWith(below)).map((row) => `${prefix}${row.path}`.split('/')),
    )
    .filter(({ length }) => length === asked.length);
  /** The segments of known paths at each index where the requested path differs. */
  const instead = new Map<number, string[]>();
  for (const segments of known) {
    const places = differing(segments, asked);
    const [at] = places;
    if (at === undefined) return path.endsWith('/') ? sentence([asked.join('/')]) : undefined;
    if (places.length === 1) instead.set(at, [...(instead.get(at) ?? []), segments[at] ?? '']);
  }
  const meant = [...instead].flatMap(([at, segments]) =>
    resembling(asked[at] ?? '', new Set(segments)).map((segment) => asked.with(at, segment).join('/')),
  );
  return meant.length > 0 ? sentence(meant.slice(0, 3)) : undefined;
}

const sentence = (paths: string[]): string => `There is no such path.${didYouMean(paths)}`;

/** The indexes at which a path differs from a known one of the same length. An id matches any segment, and so does the rest of a path. */
function differing(known: string[], asked: string[]): number[] {
  return known.flatMap((segment, at) =>
    segment === asked[at] || (/^[{*]/.test(segment) && asked[at] !== '') ? [] : [at],
  );
}
