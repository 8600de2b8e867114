import type { ApiServer } from '#src/automation/connectors/descriptions/api-description.ts';
import { plainText } from '#src/automation/connectors/descriptions/plain-text.ts';
import {
  listMember,
  objectMember,
  textMember,
  textsMember,
  type JsonObject,
} from '#src/automation/connectors/descriptions/untrusted-json.ts';
import type { OpenApiContext } from './context.ts';

const maxServers = 20;

/** Reads the servers that an object lists; undefined if it lists none. Servers with other protocols than HTTP are left out. */
export function readServers(owner: JsonObject, from: string): ApiServer[] | undefined {
  const servers = listMember(owner, 'servers')
    .slice(0, maxServers)
    .map((server) => readServer(server, from))
    .filter((server) => server !== undefined);
  return servers.length === 0 ? undefined : servers;
}

/** Reads the servers of the whole API. If it lists none, the server is the one that the description came from. */
export function readApiServers({ document, version, from }: OpenApiContext): ApiServer[] {
  const servers = version === '2.0' ? readOldServers(document, from) : readServers(document, from);
  if (servers !== undefined) return servers;
  const own = absoluteUrl('/', from);
  return own === '/' || own === '' ? [] : [{ url: own, variables: {} }];
}

function readServer(written: unknown, from: string): ApiServer | undefined {
  const url = absoluteUrl(textMember(written, 'url'), from);
  if (/^[a-z][a-z\d+.-]*:/i.test(url) && !/^https?:/i.test(url)) return undefined;
  const described = objectMember(written, 'variables');
  const names = new Set([...url.matchAll(/\{([^{}]{1,100})\}/g)].map(([, name]) => name ?? ''));
  names.delete('__proto__');
  return {
    url,
    variables: Object.fromEntries([...names].map((name) => [name, readVariable(objectMember(described, name))])),
  };
}

function readVariable(written: JsonObject): ApiServer['variables'][string] {
  const options = textsMember(written, 'enum').slice(0, 100);
  const description = plainText(textMember(written, 'description'), 200);
  return {
    default: textMember(written, 'default') || (options[0] ?? ''),
    options,
    ...(description !== '' && { description }),
  };
}

function readOldServers(document: JsonObject, from: string): ApiServer[] | undefined {
  const host = textMember(document, 'host');
  const path = textMember(document, 'basePath');
  if (host === '') return path === '' ? undefined : [{ url: absoluteUrl(path, from), variables: {} }];
  const schemes = textsMember(document, 'schemes').filter((scheme) => scheme === 'https' || scheme === 'http');
  const used =
    schemes.length > 0 ? [...new Set(schemes)].toSorted().toReversed() : [/^http:/i.test(from) ? 'http' : 'https'];
  return used.map((scheme) => ({ url: absoluteUrl(`${scheme}://${host}${path}`, from), variables: {} }));
}

/** Removes the slash at the end of a URL, and resolves a relative URL if the description came from one. Placeholders for variables stay. */
export function absoluteUrl(url: string, from: string): string {
  const trimmed = url.trim().replace(/\/+$/, '');
  if (/^(?:[a-z][a-z\d+.-]*:|\{)/i.test(trimmed) || !URL.canParse(from) || !/^https?:/i.test(from))
    return trimmed || url.slice(0, 1);
  const base = new URL(from);
  if (trimmed.startsWith('//')) return base.protocol + trimmed;
  if (trimmed === '' || trimmed.startsWith('/')) return base.origin + trimmed;
  return `${base.origin}${base.pathname.replace(/[^/]*$/, '')}${trimmed.replace(/^\.\//, '')}`;
}
