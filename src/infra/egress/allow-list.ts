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
  const [, host, port] = entryPattern.exec(entry) ?? [];
  const number = Number(port);
  if (host === undefined || number < 1 || number > 65_535) {
    throw new Error(`EGRESS_ALLOW: "${entry}" is not host:port. Write for example erp.internal:8080 or [::1]:8080.`);
  }
  return `${normaliseHost(host)}:${number}`;
};

/** Whether the list allows this host (a name or an address, in any spelling) at this port. */
export const isAllowed = (allow: AllowList, hostname: string, port: number): boolean =>
  allow.has(`${normaliseHost(hostname)}:${port}`);
