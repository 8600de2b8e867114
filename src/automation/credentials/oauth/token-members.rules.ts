/** Members of a token answer that nodes may read beside the access token, such as `instance_url`. */
export type TokenMembers = Readonly<Record<string, string | number | boolean>>;

/** Members of the standard, or with a meaning of their own: nodes get the access token, and never these. */
const ownMembers = new Set([
  'access_token',
  'refresh_token',
  'id_token',
  'token_type',
  'expires_in',
  'expires_at',
  'expires_on',
  'refresh_expires_in',
  'refresh_token_expires_in',
  'refresh_expires_at',
  'refresh_token_expires_at',
  'error',
]);

const maxMembers = 32;
const maxName = 64;
const maxText = 2_048;

/** The members to keep, including those of the previous grant: a refresh often returns fewer. */
export function tokenMembers(answer: Readonly<Record<string, unknown>>, before: TokenMembers = {}): TokenMembers {
  const brought = Object.entries(answer).filter(
    ([name, value]) => !ownMembers.has(name) && name.length <= maxName && isKept(value),
  ) as [string, string | number | boolean][];
  return Object.fromEntries([...new Map([...brought, ...keptFrom(before, answer)])].slice(0, maxMembers));
}

const keptFrom = (before: TokenMembers, answer: object) =>
  Object.entries(before).filter(([name]) => !Object.hasOwn(answer, name));

const isKept = (value: unknown): boolean =>
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value)) ||
  (typeof value === 'string' && value !== '' && value.length <= maxText);

/** Names of members that identify or locate something, in snake case and in camel case. */
const plainNames = [
  /(^|_)(url|uri|id|domain|host|region|realm|scope|type|name|shop|site|endpoint|at)s?$/i,
  /[a-z](Url|Uri|Id|Domain|Host|Region|Realm|Type|Name|Endpoint|At)s?$/,
];
const secretName = /token|secret|session|sign|key|pass|assertion|jwt|code|ticket|cookie|nonce/i;

/**
 * True when a member is treated as a secret: redacted in what is recorded, and sent over https only. A provider names members as
 * it likes, so every text is secret unless its name says that it identifies or locates something.
 */
export function isSecretMember(name: string, value: unknown): boolean {
  if (typeof value !== 'string') return false;
  return secretName.test(name) || !plainNames.some((plain) => plain.test(name)) || /[?#@]/.test(value);
}

/** The texts of all secret members of a stored grant. */
export const secretMembers = (members: unknown): string[] =>
  Object.entries(members ?? {}).flatMap(([name, value]) => (isSecretMember(name, value) ? [String(value)] : []));

/** The members that are not secret. */
export const publicMembers = (members: TokenMembers): TokenMembers =>
  Object.fromEntries(Object.entries(members).filter(([name, value]) => !isSecretMember(name, value)));
