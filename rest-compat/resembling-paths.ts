import { didYouMean } from 'graphql/jsutils/didYouMean.js';
import { resembling } from '#src/infra/text/suggestion.ts';
import type { RestApi } from './rest-api.ts';

/** Longer paths are no slips, and a hint repeats them. */
const maxLength = 200;

/**
 * A sentence with the paths of the API that `url` resembles: those that differ in one segment, and there by a slip. Undefined where
 * there is none. Ids stay as they were sent. A path of the API with an id that cannot be read, such as `%ff`, resembles nothing: what
 * differs from `enable` by a slip would be `disable`.
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
  /** What known paths have at a place where the asked one has something else. */
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

/** The places at which a path is not as a known one of its length. An id stands for anything, and so does the rest of a path. */
function differing(known: string[], asked: string[]): number[] {
  return known.flatMap((segment, at) =>
    segment === asked[at] || (/^[{*]/.test(segment) && asked[at] !== '') ? [] : [at],
  );
}
