import { lookup as systemLookup, Resolver } from 'node:dns/promises';
import type { LookupFunction, Socket } from 'node:net';
import { buildConnector } from 'undici';
import { isAddress, isPublicAddress } from './addresses.ts';
import { type AllowList, isAllowed, normaliseHost } from './allow-list.ts';
import { EgressError, toEgressError } from './errors.ts';
import { formatHostPort, type Target } from './target.ts';

/** A certificate with which connections identify themselves (mutual TLS), in PEM. */
export interface ClientCertificate {
  cert: string;
  key: string;
  /** The authorities that the server's certificate must come from, in place of the public ones. */
  ca?: string;
}

/** Resolves a host name to all its addresses; rejects with a system error (`ENOTFOUND`, ...) when it has none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

export interface LookupOptions {
  allow: AllowList;
  resolve: Resolve | undefined;
}

export interface ConnectorOptions extends LookupOptions {
  connectTimeoutMs: number;
  /** Certificate authorities in PEM, which replace Node's own. */
  ca: string | undefined;
  /** The client certificate of the connection. */
  certificate?: ClientCertificate | undefined;
}

/** More addresses than any real host has; each of them may be tried. */
const maxAddresses = 32;

const resolver = new Resolver({ timeout: 2_000, tries: 2 });

/**
 * Queries DNS directly. The system's lookup blocks one of libuv's four threads for as long as a hostile name server
 * likes; four such names would stall every file and crypto operation of the process.
 */
const resolvePublic: Resolve = async (hostname) => {
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length > 0) return addresses;
  throw answers.find((answer) => answer.status === 'rejected')?.reason ?? new Error(`no address for ${hostname}`);
};

/** An allowed host may be in /etc/hosts or under a search domain, which only the system's lookup knows. */
const resolveAllowed: Resolve = async (hostname) =>
  (await systemLookup(hostname, { all: true, order: 'ipv4first' })).map(({ address }) => address);

const isLocalhost = (hostname: string): boolean => hostname === 'localhost' || hostname.endsWith('.localhost');

/**
 * The addresses that a connection to `hostname:port` may use. One refused address refuses them all, because DNS rebinding
 * works with names that resolve to a public and a private address.
 */
const admittedAddresses = async (options: LookupOptions, hostname: string, port: number): Promise<string[]> => {
  const nameIsAllowed = isAllowed(options.allow, hostname, port);
  const isAdmitted = (address: string): boolean =>
    isAddress(address) && (nameIsAllowed || isPublicAddress(address) || isAllowed(options.allow, address, port));
  if (isLocalhost(hostname)) {
    const open = ['127.0.0.1', '::1'].filter(isAdmitted);
    if (open.length === 0) throw refusedAddress(hostname, port);
    return open;
  }
  const resolve = options.resolve ?? (nameIsAllowed ? resolveAllowed : resolvePublic);
  const addresses = await resolve(hostname).catch((cause: unknown) => {
    const hint = nameIsAllowed
      ? ''
      : ' Only DNS is asked: an operator can open a name of their own network with EGRESS_ALLOW.';
    throw new EgressError('dns', `The host name ${hostname} could not be resolved.${hint}`, { cause });
  });
  if (addresses.length === 0) throw new EgressError('dns', `The host name ${hostname} has no address.`);
  if (!addresses.every(isAdmitted)) throw refusedAddress(hostname, port);
  return addresses.slice(0, maxAddresses);
};

const refusedAddress = (hostname: string, port: number): EgressError =>
  new EgressError(
    'refused_address',
    `${formatHostPort(hostname, port)} may not be called: private, loopback and link-local addresses are refused. An operator can open it: add ${formatHostPort(hostname, port)} to EGRESS_ALLOW.`,
  );

const tooSlow = (hostname: string, port: number): EgressError =>
  new EgressError('timeout', `Connecting to ${formatHostPort(hostname, port)} took too long.`);

/** Throws if a URL names a refused address, as its host or as localhost. It is checked as written: a mapped address is not public. */
export const assertAddress = ({ url, hostname, port }: Target, allow: AllowList): void => {
  const isRefused =
    isLocalhost(hostname) || (isAddress(hostname) && !isPublicAddress(url.hostname.replace(/[[\]]/g, '')));
  if (isRefused && !isAllowed(allow, hostname, port)) throw refusedAddress(hostname, port);
};

/**
 * Looks a name up for a socket: it resolves and checks the addresses and hands them to the socket as the only ones to use, so the
 * connection goes to an address that was checked; a later DNS answer affects only a later connection.
 */
export const lookupFor =
  (hostname: string, port: number, options: LookupOptions): LookupFunction =>
  (_name, { all }, callback) => {
    admittedAddresses(options, hostname, port).then(
      (addresses) => {
        const entries = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
        if (all) callback(null, entries);
        else callback(null, entries[0]?.address ?? '', entries[0]?.family);
      },
      (error: unknown) => callback(toEgressError(error, formatHostPort(hostname, port)), ''),
    );
  };

/** The connector of one origin, which connects to checked addresses only. */
export const connectorFor = (origin: URL, options: ConnectorOptions): buildConnector.connector => {
  const hostname = normaliseHost(origin.hostname);
  const port = Number(origin.port) || (origin.protocol === 'https:' ? 443 : 80);
  const connect = buildConnector({
    // Its own timer counts in half seconds: 1 s took up to 1.7 s.
    timeout: 0,
    // HTTP/1.1 only: its framing and limits are the ones we test.
    allowH2: false,
    ca: options.certificate?.ca ?? options.ca,
    cert: options.certificate?.cert,
    key: options.certificate?.key,
    lookup: lookupFor(hostname, port, options),
  });
  return (socketOptions, callback) => {
    // A literal address never reaches `lookup`. It is checked as written, because a mapped address is not public.
    if (
      isAddress(hostname) &&
      !isPublicAddress(origin.hostname.replace(/[[\]]/g, '')) &&
      !isAllowed(options.allow, hostname, port)
    ) {
      callback(refusedAddress(hostname, port), null);
      return;
    }
    // It returns the socket, which its types do not say.
    const socket = connect(socketOptions, (...outcome) => {
      clearTimeout(late);
      callback(...outcome);
    }) as unknown as Socket;
    const late = setTimeout(() => socket.destroy(tooSlow(hostname, port)), options.connectTimeoutMs);
  };
};
