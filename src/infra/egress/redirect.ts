import { EgressError } from './errors.ts';
import type { HeaderList, Hop } from './request.ts';
import type { Target } from './target.ts';

/** Headers that may be sent to another origin. Any other header may carry a credential, whatever its name. */
const anonymousHeaders = new Set(['accept', 'accept-encoding', 'accept-language', 'content-type', 'user-agent']);

const bodyHeaders = new Set(['content-type', 'content-encoding', 'content-language', 'content-md5', 'digest']);

/** Values follow their names in the list, and are kept together with them. */
const keepHeaders = (headers: HeaderList, keep: (name: string) => boolean): HeaderList =>
  headers.filter((_, at) => keep(headers[at - (at % 2)] as string));

/** 303 asks for a GET; 301 and 302 turn a POST into one, as every client has always done. */
const turnsIntoGet = (status: number, method: Hop['method']): boolean =>
  status === 303 ? method !== 'HEAD' : method === 'POST' && (status === 301 || status === 302);

/** True if a status is a redirect that names its target in `location`. */
export const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);

/**
 * The hop that follows a redirect from `hop` to `target`. Another origin receives only anonymous headers and no body, since
 * both may hold credentials. A redirect from https to http is refused.
 */
export const nextHop = (hop: Hop, status: number, target: Target): Hop => {
  const { url } = hop.target;
  if (url.protocol === 'https:' && target.url.protocol !== 'https:') {
    throw new EgressError('refused_redirect', `${hop.target.where} redirects from https to http.`);
  }
  const next: Hop = turnsIntoGet(status, hop.method)
    ? { ...hop, target, method: 'GET', body: null, headers: keepHeaders(hop.headers, (name) => !bodyHeaders.has(name)) }
    : { ...hop, target };
  if (target.url.origin === url.origin) return next;
  if (next.body !== null) {
    throw new EgressError('refused_redirect', `${hop.target.where} redirects a request with a body to another host.`);
  }
  return { ...next, headers: keepHeaders(next.headers, (name) => anonymousHeaders.has(name)) };
};
