import { type AllowList, isAllowed, normaliseHost } from './allow-list.ts';
import { EgressError } from './errors.ts';

export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | null | undefined>>;

/** A checked URL: where to connect and what to ask for. */
export interface Target {
  url: URL;
  /** Parts of the URL, cached because its getters take a microsecond each. */
  origin: string;
  path: string;
  hostname: string;
  port: number;
  /** `host:port`, the only part of the URL that error messages may show. */
  where: string;
}

export interface TargetRules {
  allow: AllowList;
  protocols: readonly string[];
  /** Ports that may be called. Default: 80, 443 and every port from 1024 up. */
  ports: readonly number[] | undefined;
}

const maxUrlLength = 8192;

/** Ports below 1024 serve other protocols (mail, remote shells); an HTTP request to one is an attack on it. */
const isUsualPort = (port: number): boolean => port >= 1024 || port === 80 || port === 443;

/** `host:port`, as messages name it. */
export const formatHostPort = (hostname: string, port: number): string =>
  `${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`;

const parseUrl = (url: string | URL, base?: URL): URL => {
  const text = String(url);
  if (text.length > maxUrlLength)
    throw new EgressError('invalid_request', `The URL is longer than ${maxUrlLength} characters.`);
  const parsed = URL.parse(text, base?.href);
  if (parsed === null)
    throw new EgressError('invalid_request', 'The URL is not valid; write it in full, beginning with https://.');
  return parsed;
};

/** Adds `query` to the URL's own query: null and undefined are left out, an array repeats its name. */
const addQuery = (url: URL, query: Query): void => {
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === undefined) continue;
    for (const item of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(item));
  }
};

/**
 * Parses a URL and refuses what may never be called, whatever its name resolves to. The address is checked later, when
 * the connection is made. The parser turns octal, hexadecimal and single-number IPv4 spellings into plain addresses.
 */
export const parseTarget = (
  rules: TargetRules,
  from: string | URL,
  options: { base?: URL; query?: Query; secure?: boolean } = {},
): Target => {
  const url = parseUrl(from, options.base);
  if (!rules.protocols.includes(url.protocol)) {
    const names = rules.protocols.map((protocol) => protocol.slice(0, -1)).join(' and ');
    throw new EgressError('refused_protocol', `Only ${names} URLs may be called.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new EgressError('invalid_request', 'The URL holds a user name or password; send them in a header instead.');
  }
  if (options.query) addQuery(url, options.query);
  url.hash = '';
  const hostname = normaliseHost(url.hostname);
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  const where = formatHostPort(hostname, port);
  if (options.secure && url.protocol !== 'https:' && !isAllowed(rules.allow, hostname, port)) {
    throw new EgressError(
      'refused_protocol',
      `Only https may be called here, or http where the operator allows it: add ${where} to EGRESS_ALLOW.`,
    );
  }
  const portIsOpen = rules.ports ? rules.ports.includes(port) : isUsualPort(port);
  if (!portIsOpen && !isAllowed(rules.allow, hostname, port)) {
    throw new EgressError('refused_port', `Port ${port} may not be called.`);
  }
  return { url, origin: url.origin, path: url.pathname + url.search, hostname, port, where };
};
