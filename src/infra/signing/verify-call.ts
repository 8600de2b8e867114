import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { parseExact } from '#src/infra/text/exact-numbers.ts';
import type { PublicConfig, Verifier } from './verifier-configs.ts';
import { lowerHex, verifyBody, verifyMessage } from './webhook-signatures.ts';

/** A request as its sender signed it; Node has converted the names of headers to lower case. */
export interface SentCall {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The raw bytes. */
  body: Buffer;
}

export const callFaults = [
  'signature_missing',
  'signature_wrong',
  'timestamp_missing',
  'timestamp_off',
  'credentials_missing',
  'credentials_wrong',
] as const;
export type CallFault = (typeof callFaults)[number];

/** The expected sender: its verifier, and the secrets, any of which is accepted. */
export interface ExpectedSender {
  verifier: Verifier;
  config: object;
  /** More than one while a secret is being replaced. */
  secrets: readonly string[];
}

/** The reason why the call is refused, or the id of its event: null if the sender gives none. */
export type Verdict = { fault: CallFault } | { fault: null; eventId: string | null };

/** Verifies a call at `now`, in milliseconds since 1970. Every comparison with a secret takes constant time. */
export function verifyCall({ verifier, config, secrets }: ExpectedSender, call: SentCall, now: number): Verdict {
  const fault = schemes[verifier].findFault(config as never, call, secrets, now);
  return fault ? { fault } : { fault, eventId: schemes[verifier].readEventId(config as never, call) };
}

/** True if the call is the unsigned one by which its sender tests the URL. */
export function isPing({ verifier, config }: Pick<ExpectedSender, 'verifier' | 'config'>, call: SentCall): boolean {
  if (verifier !== 'hmac') return false;
  const { ping_member: member, header } = config as PublicConfig<'hmac'>;
  if (member === undefined || call.body.length > 100 || readHeader(call.headers, header) !== null) return false;
  const [name, value = '', ...more] = call.body.toString('latin1').split('=');
  return name === member && /^\d+$/.test(value) && more.length === 0;
}

/** Headers that only the verifier needs, in lower case; they are not passed on. */
export const verifierHeaders = ({ verifier, config }: Pick<ExpectedSender, 'verifier' | 'config'>): string[] =>
  schemes[verifier].listHeaders(config as never).map((name) => name.toLowerCase());

interface Scheme<Name extends Verifier> {
  findFault(config: PublicConfig<Name>, call: SentCall, secrets: readonly string[], now: number): CallFault | null;
  readEventId(config: PublicConfig<Name>, call: SentCall): string | null;
  listHeaders(config: PublicConfig<Name>): string[];
}

const schemes: { [Name in Verifier]: Scheme<Name> } = {
  platform_v0: {
    findFault({ tolerance_seconds: tolerance }, { headers, body }, secrets, now) {
      const signature = readHeader(headers, 'x-platform-signature');
      if (signature === null) return 'signature_missing';
      const clock = clockFault(readHeader(headers, 'x-platform-timestamp'), tolerance, now);
      return clock ?? (verifyBody(body, signature, secrets) ? null : 'signature_wrong');
    },
    readEventId: (_config, { headers }) => readHeader(headers, 'x-platform-id'),
    listHeaders: () => ['x-platform-signature', 'x-platform-timestamp', 'x-platform-id'],
  },
  standard_webhooks: {
    findFault({ tolerance_seconds: tolerance, header_prefix: prefix }, { headers, body }, secrets, now) {
      const [id, timestamp, signature] = standardHeaders(prefix).map((name) => readHeader(headers, name));
      if (id == null || signature == null) return 'signature_missing';
      const clock = clockFault(timestamp ?? null, tolerance, now);
      if (clock) return clock;
      return verifyMessage({ id, timestamp: timestamp as string, body }, signature, secrets) ? null : 'signature_wrong';
    },
    readEventId: ({ header_prefix: prefix }, { headers }) => readHeader(headers, standardHeaders(prefix)[0]),
    listHeaders: ({ header_prefix: prefix }) => standardHeaders(prefix),
  },
  hmac: {
    findFault(
      { header, algorithm, encoding, prefix = '', pairs, tolerance_seconds: tolerance = 300 },
      call,
      secrets,
      now,
    ) {
      const given = readHeader(call.headers, header);
      if (given === null) return 'signature_missing';
      const parts = pairs && parsePairs(given);
      const timestamp = pairs ? (parts?.get(pairs.timestamp)?.[0] ?? null) : null;
      const clock = pairs && clockFault(timestamp, tolerance, now);
      if (clock) return clock;
      const sent = pairs ? (parts?.get(pairs.signature) ?? []) : [given];
      const candidates = encoding === 'hex' ? sent.map((signature) => lowerHex(signature, prefix)) : sent;
      const signed = (secret: string) => {
        const hmac = createHmac(algorithm, secret);
        if (pairs) hmac.update(`${timestamp}.`);
        return `${prefix}${hmac.update(call.body).digest(encoding)}`;
      };
      return isAny(candidates, secrets.map(signed)) ? null : 'signature_wrong';
    },
    readEventId: idByConfig,
    listHeaders: ({ header }) => [header],
  },
  basic: {
    findFault({ username }, { headers }, secrets) {
      const [, given] = /^basic +([A-Za-z0-9+/]+=*)$/i.exec(readHeader(headers, 'authorization') ?? '') ?? [];
      if (given === undefined) return 'credentials_missing';
      const sent = Buffer.from(given, 'base64').toString('utf8');
      const expected = secrets.map((password) => `${username}:${password}`);
      return isAny([sent], expected) ? null : 'credentials_wrong';
    },
    readEventId: idByConfig,
    listHeaders: () => ['authorization'],
  },
  api_key: {
    findFault({ header }, { headers }, secrets) {
      const given = readHeader(headers, header);
      if (given === null) return 'credentials_missing';
      return isAny([given], secrets) ? null : 'credentials_wrong';
    },
    readEventId: idByConfig,
    listHeaders: ({ header }) => [header],
  },
};

const standardHeaders = (prefix = 'webhook'): [id: string, timestamp: string, signature: string] => [
  `${prefix}-id`,
  `${prefix}-timestamp`,
  `${prefix}-signature`,
];

function readHeader(headers: SentCall['headers'], name: string): string | null {
  const value = headers[name.toLowerCase()];
  return (Array.isArray(value) ? value.join(', ') : value) || null;
}

/** `timestamp` is in Unix seconds. */
function clockFault(timestamp: string | null, toleranceSeconds: number, now: number): CallFault | null {
  if (timestamp === null || !/^\d{1,12}$/.test(timestamp)) return 'timestamp_missing';
  return Math.abs(now / 1_000 - Number(timestamp)) > toleranceSeconds ? 'timestamp_off' : null;
}

/** `t=1,v1=a,v1=b` by name. */
function parsePairs(header: string): Map<string, string[]> {
  const pairs = header.split(',').map((pair) => {
    const [name = '', ...value] = pair.split('=');
    return [name.trim(), value.join('=').trim()] as const;
  });
  return new Map([...Map.groupBy(pairs, ([name]) => name)].map(([name, all]) => [name, all.map(([, value]) => value)]));
}

const hashText = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Digests have equal lengths, so the time does not reveal a secret's length either. */
function isAny(candidates: readonly string[], expected: readonly string[]): boolean {
  const wanted = expected.map(hashText);
  let found = false;
  for (const candidate of candidates.map(hashText)) {
    for (const digest of wanted) if (timingSafeEqual(candidate, digest)) found = true;
  }
  return found;
}

function idByConfig(
  {
    id_header: header,
    id_with_header: withHeader,
    id_path: path,
  }: { id_header?: string | undefined; id_with_header?: string | undefined; id_path?: string | undefined },
  { headers, body }: SentCall,
): string | null {
  const named = header === undefined ? null : readHeader(headers, header);
  const id = named ?? (path === undefined ? null : readMember(body, path));
  const more = withHeader === undefined ? null : readHeader(headers, withHeader);
  return id === null || more === null ? id : `${id} ${more}`;
}

function readMember(body: Buffer, path: string): string | null {
  const text = body.toString('utf8');
  try {
    // Parsed exactly: two 64-bit ids that round to the same double are two events.
    const found = memberAt(parseExact(text), path);
    return typeof found === 'string' || typeof found === 'number' ? String(found) || null : null;
  } catch {
    return null;
  }
}

function memberAt(value: unknown, path: string): unknown {
  let found = value;
  for (const name of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}
