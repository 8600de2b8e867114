import { randomBytes, randomUUID } from 'node:crypto';

const urlParts = [
  'href',
  'protocol',
  'username',
  'password',
  'host',
  'hostname',
  'port',
  'pathname',
  'search',
  'hash',
  'origin',
] as const;
const maxUrlChars = 65_536;

const urlPartsJson = (url: URL): string =>
  JSON.stringify(Object.fromEntries(urlParts.map((part) => [part, url[part]])));

/** The synchronous calls of the isolate to its host. Arguments and results are strings; the result of a refused call is ''. */
export function answer(operation: unknown, a: unknown, b: unknown, c: unknown): string {
  if (typeof a !== 'string' || typeof b !== 'string' || typeof c !== 'string') return '';
  if (a.length + b.length + c.length > maxUrlChars) return '';
  if (operation === 'uuid') return randomUUID();
  if (operation === 'random') {
    const count = Number(a);
    return Number.isInteger(count) && count >= 0 && count <= 65_536 ? randomBytes(count).toString('hex') : '';
  }
  if (operation === 'url') {
    const url = URL.parse(a, b === '' ? undefined : b);
    return url === null ? '' : urlPartsJson(url);
  }
  if (operation === 'url-set') {
    const url = URL.parse(a);
    const part = urlParts.find((name) => name === b && name !== 'origin');
    if (url === null || part === undefined) return '';
    try {
      Reflect.set(url, part, c);
      return urlPartsJson(url);
    } catch {
      return '';
    }
  }
  return '';
}
