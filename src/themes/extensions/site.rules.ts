import { ValidationError } from '#src/infra/errors.ts';

/** The root of a site, without a trailing slash. ValidationError at `url` unless it is plain http or https. */
export function siteRoot(given: string): string {
  const url = URL.parse(given);
  const isSite = url !== null && (url.protocol === 'https:' || url.protocol === 'http:');
  if (!isSite || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new ValidationError({
      url: ['Use the address of the site, for example https://reviews.example.com, without a query or credentials.'],
    });
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}
