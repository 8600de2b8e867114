import { canonicalAddress, isAddress } from './addresses.ts';

/** `host:port` pairs that may be called even though their address or port would otherwise be refused. */
export type AllowList = ReadonlySet<string>;

/** The same hosts are called again and again, and reading an address takes 5 µs. */
const normalised = new Map<string, string>();
const remembered = 1_000;

/** The canonical spelling of a hostname: lower case, no brackets, no final dot, addresses canonical. */
export const normaliseHost = (hostname: string): string => {
  const known = normalised.get(hostname);
  if (known !== undefined) return known;
  const bare = hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
  const host = isAddress(bare) ? canonicalAddress(bare) : bare;
  if (normalised.size >= remembered) normalised.clear();
  normalised.set(hostname, host);
  return host;
};

const entryPattern = /^(\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?):(\d{1,5})$/i;

/**
 * Parses `EGRESS_ALLOW`: `host:port` pairs separated by commas, IPv6 addresses in brackets. Throws an Error that names a
 * malformed entry, so that a typo stops the start instead of silently allowing nothing.
 */
export const parseAllowList = (text: string): AllowList => {
  const entries = text.split(',').map((entry) => entry.trim());
  return new Set(entries.filter((entry) => entry !== '').map(parseEntry));
};

const parseEntry = (entry: string): string => {
  const fault = allowListFault(entry);
  if (fault !== undefined) throw new Error(`EGRESS_ALLOW: ${fault}.`);
  const [, host = '', port] = entryPattern.exec(entry) ?? [];
  return `${normaliseHost(host)}:${Number(port)}`;
};

/** The fault of one entry, and what to write instead; undefined if the entry is host:port. */
export function allowListFault(entry: string): string | undefined {
  const [, host, port] = entryPattern.exec(entry) ?? [];
  const number = Number(port);
  if (host !== undefined && number >= 1 && number <= 65_535) return undefined;
  const url = /^https?:\/\//i.test(entry) ? URL.parse(entry) : null;
  if (url) {
    const instead = `${url.hostname}:${url.port || (url.protocol === 'http:' ? 80 : 443)}`;
    return `"${entry}" is a URL; write its host and port, ${instead}`;
  }
  if (entryPattern.test(`${entry}:443`)) return `"${entry}" has no port; write for example ${entry}:443`;
  return `"${entry}" is not host:port; write for example erp.internal:8080 or [::1]:8080`;
}

/** True if the list allows this host (a name or an address, in any spelling) at this port. */
export const isAllowed = (allow: AllowList, hostname: string, port: number): boolean =>
  allow.has(`${normaliseHost(hostname)}:${port}`);
