type Json = Record<string, unknown>;

/** A token endpoint's response, in the form of RFC 6749. */
export interface TokenAnswer {
  status: number;
  /** Undefined when the body is not a token response at all. */
  json: Json | undefined;
}

/**
 * Brings the responses of real providers into the standard's form before they are validated: a parse error after a refresh
 * token was rotated would lose the credential. Seen in practice: forms instead of JSON, errors with status 200, no token_type,
 * times as text, null and '' for absent values, lists of scopes, an id_token that was not asked for.
 */
export function conformAnswer(answer: { status: number; contentType: string; text: string }): TokenAnswer {
  const body = parse(answer.contentType, answer.text);
  if (body === undefined) return { status: answer.status, json: undefined };
  if (readText(body['access_token']) === undefined) {
    const isError = readText(body['error']) !== undefined && answer.status < 400;
    return { status: isError ? 400 : answer.status, json: body };
  }
  const isSuccess = answer.status >= 200 && answer.status < 300;
  return { status: isSuccess ? 200 : answer.status, json: { ...body, ...conformTokens(body) } };
}

/** Undefined members disappear when the body is serialised again. */
const conformTokens = (body: Json): Json => ({
  token_type: bearerLike(readText(body['token_type'])),
  expires_in: readSeconds(body['expires_in']),
  refresh_token: readText(body['refresh_token']),
  scope: readScope(body['scope']),
  error: undefined,
});

/** Proprietary types (`bot`, `user`, `JWT`) mean a bearer token; only types that need a proof with each request do not. */
const bearerLike = (type = 'bearer'): string => (/^(dpop|mac|pop|hok)$/i.test(type) ? type : 'bearer');

/** Seconds as a number from 0 to ten years; undefined for anything else. */
export function readSeconds(value: unknown): number | undefined {
  const seconds = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof seconds !== 'number' || !Number.isFinite(seconds) || seconds < 0) return undefined;
  return Math.min(seconds, 315_360_000);
}

/** Smaller numbers cannot be the expiry of a token that is issued now; numbers from `firstMs` are milliseconds. */
const firstSecond = 1e9;
const firstMs = 1e11;

/** Parses a time into milliseconds since 1970: seconds or milliseconds, as a number or text, or a date and time in ISO 8601. */
export function readInstant(value: unknown): number | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  const figure = Number(value);
  if (typeof value === 'string' && Number.isNaN(figure)) {
    const ms = Date.parse(value);
    return Number.isNaN(ms) ? undefined : ms;
  }
  if (!Number.isFinite(figure) || figure < firstSecond) return undefined;
  return figure < firstMs ? figure * 1_000 : figure;
}

const readScope = (value: unknown): string | undefined =>
  Array.isArray(value) ? value.filter((scope) => typeof scope === 'string').join(' ') : readText(value);

const readText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

function parse(contentType: string, text: string): Json | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Json) : undefined;
  } catch {
    const isForm = /^(application\/x-www-form-urlencoded|text\/plain)\b/i.test(contentType.trim());
    const form = isForm ? Object.fromEntries(new URLSearchParams(text)) : {};
    return 'access_token' in form || 'error' in form ? form : undefined;
  }
}
