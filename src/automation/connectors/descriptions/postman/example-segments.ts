import type { RequestUrl } from './request-url.ts';

export interface TemplatePath {
  /** The path: `/families/{family}`; empty if the request calls the server's own URL. */
  path: string;
  /** Values from the example, keyed by parameter. */
  defaults: Map<string, string>;
}

const isId = (segment: string): boolean =>
  /^\d+$/.test(segment) || /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(segment);

const key = ({ server }: RequestUrl, segments: readonly string[]): string => `${server}/${segments.join('/')}`;

/**
 * Turns example segments of paths such as `/families/camcorders` into parameters. A segment becomes a parameter if it is a number or a
 * UUID, or if the path before it ends with a word and is itself a request. The example is the default, so the request stays the same until
 * somebody gives another value.
 */
export function templatePaths(urls: readonly RequestUrl[]): TemplatePath[] {
  const known = new Set(urls.map((url) => key(url, url.segments)));
  return urls.map((url) => {
    const defaults = new Map<string, string>();
    const taken = new Set(url.segments.filter((segment) => segment.includes('{')));
    let afterExample = false;
    const segments = url.segments.map((segment, index) => {
      const parents = url.segments.slice(0, index);
      const isExample = isId(segment) || (!afterExample && known.has(key(url, parents)));
      if (index === 0 || segment.includes('{') || !isExample) {
        afterExample = segment.includes('{');
        return segment;
      }
      afterExample = true;
      const name = freeName(singular(parents.at(-1) ?? ''), taken);
      defaults.set(name, segment);
      return `{${name}}`;
    });
    return { path: segments.length === 0 ? '' : `/${segments.join('/')}`, defaults };
  });
}

function singular(segment: string): string {
  const word = segment.replaceAll(/\W+/g, '_').replaceAll(/^_+|_+$/g, '');
  if (word.endsWith('ies')) return word.replace(/ies$/, 'y');
  return (/(?:ss|us|is)$/.test(word) ? word : word.replace(/s$/, '')) || 'id';
}

function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let number = 2; taken.has(`{${name}}`); number += 1) name = `${wanted}_${number}`;
  taken.add(`{${name}}`);
  return name;
}
