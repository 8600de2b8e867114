import {
  readText,
  readUrl,
  required,
  type Values,
  withoutBlanks,
} from '#src/automation/credentials/connection-values.rules.ts';
import { type JsonPath, valueAt, withValueAt } from '#src/automation/http-calls/json-path.ts';
import { readCookies } from '#src/automation/http-calls/set-cookies.ts';
import type { CredentialTypeManifest, SessionSettings } from '#src/automation/node-api/manifest.ts';
import { AppError } from '#src/infra/errors.ts';

/** How to sign in to an API, and where to find the session token in the answer. */
export interface SessionLogin {
  grantType: 'session';
  url: string;
  user: { name: string; password: string };
  sentAs: 'json' | 'form' | 'basic';
  /** The members of the body for the user name and the password. */
  members: { name: JsonPath; password: JsonPath };
  /** Further members of the body, which are always sent. */
  body: Values;
  /** Without a path, the whole body is the token, as text or as a JSON string. */
  token: { in: 'body'; path?: JsonPath } | { in: 'header'; name: string } | { in: 'cookie'; name: string };
  lifetimeS: number | undefined;
}

/** The sign-in that a credential's config describes; the type supplies what the config leaves out. Throws UNPROCESSABLE if a value is missing. */
export function readSessionLogin(
  { session = {} }: Pick<CredentialTypeManifest, 'session'>,
  config: object,
): SessionLogin {
  const given: Values = { ...session, ...withoutBlanks(config) };
  const lifetime = given['lifetime_s'];
  return {
    grantType: 'session',
    url: readUrl(given, 'login_url'),
    user: { name: required(given, 'username'), password: required(given, 'password') },
    sentAs: readChoice(given, 'login_as', ['json', 'form', 'basic']),
    members: {
      name: (readText(given, 'username_member') ?? 'username').split('.'),
      password: (readText(given, 'password_member') ?? 'password').split('.'),
    },
    body: readBody(given['login_body']),
    token: readTokenPlace(given),
    lifetimeS: typeof lifetime === 'number' && lifetime > 0 ? lifetime : undefined,
  };
}

function readTokenPlace(given: Values): SessionLogin['token'] {
  const place = readChoice(given, 'token_in', ['body', 'header', 'cookie']);
  if (place !== 'body') return { in: place, name: required(given, 'token_name') };
  const path = readText(given, 'token_name');
  return { in: 'body', ...(path !== undefined && { path }) };
}

/** The chosen value, or the first one if none is chosen. */
function readChoice<const T extends string>(
  values: Values,
  key: keyof SessionSettings,
  choices: readonly [T, ...T[]],
): T {
  return choices.find((choice) => choice === values[key]) ?? choices[0];
}

function readBody(given: unknown): Values {
  if (given === undefined) return {};
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given as Values;
  throw new AppError('UNPROCESSABLE', 'The login_body of the credential must be a JSON object; correct its config.');
}

/** The request that signs in. */
export function loginRequest({ user, sentAs, members, body }: SessionLogin): {
  headers: Record<string, string>;
  body: string | null;
} {
  const headers = { accept: 'application/json' };
  if (sentAs === 'basic') {
    const pair = Buffer.from(`${user.name}:${user.password}`).toString('base64');
    const content = Object.keys(body).length === 0 ? null : JSON.stringify(body);
    return {
      headers: { ...headers, authorization: `Basic ${pair}`, ...(content !== null && jsonType) },
      body: content,
    };
  }
  const filled = withValueAt(withValueAt(body, members.name, user.name), members.password, user.password);
  if (sentAs === 'json') return { headers: { ...headers, ...jsonType }, body: JSON.stringify(filled) };
  const pairs = Object.entries(filled as Values).map(([key, value]) => [key, String(value)]);
  return {
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(pairs).toString(),
  };
}

const jsonType = { 'content-type': 'application/json' };

/** The session token in the answer to a sign-in; undefined if it is not there. */
export function readSessionToken(
  { token }: Pick<SessionLogin, 'token'>,
  answer: { headers: Readonly<Record<string, string | string[]>>; body: Uint8Array },
): string | undefined {
  const found = findToken(token, answer);
  const text = typeof found === 'string' || typeof found === 'number' ? String(found).trim() : '';
  return /^[\x21-\x7e]{1,8192}$/.test(text) ? text : undefined;
}

function findToken(token: SessionLogin['token'], { headers, body }: Parameters<typeof readSessionToken>[1]): unknown {
  if (token.in === 'header') return [headers[token.name.toLowerCase()] ?? []].flat()[0];
  if (token.in === 'cookie') return readCookies(headers).find(([name]) => name === token.name)?.[1];
  const content = parse(Buffer.from(body).toString('utf8'));
  if (token.path === undefined) return content;
  const found = valueAt(content, token.path);
  return 'value' in found ? found.value : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
