import type { OAuthFlow, SecurityScheme } from '#src/automation/connectors/descriptions/api-description.ts';
import { safeKey } from '#src/automation/connectors/descriptions/names.ts';
import { plainText } from '#src/automation/connectors/descriptions/plain-text.ts';
import { Unsupported } from '#src/automation/connectors/descriptions/unsupported.ts';
import {
  isObject,
  listMember,
  textMember,
  type JsonObject,
} from '#src/automation/connectors/descriptions/untrusted-json.ts';

/** The authentication of a request. Without a name, the request does not authenticate. */
export interface RequestAuth {
  name?: string;
  scheme?: SecurityScheme;
}

const grants: Readonly<Record<string, OAuthFlow['grant']>> = {
  authorization_code: 'authorization_code',
  authorization_code_with_pkce: 'authorization_code',
  client_credentials: 'client_credentials',
  password_credentials: 'password',
  implicit: 'implicit',
};

/**
 * Reads the auth of a request, or infers it from the header Authorization. Throws Unsupported for a type that credentials do not support.
 */
export function readAuth(auth: unknown, authorization: string): RequestAuth {
  const [, written = ''] = /^\s*(bearer|basic)\s/i.exec(authorization) ?? [];
  const type = isObject(auth) ? textMember(auth, 'type') : '';
  if (type === '' || type === 'noauth') return written === '' ? {} : simple(written.toLowerCase());
  if (type === 'bearer' || type === 'basic') return simple(type);
  if (type === 'apikey') return readApiKey(attributes(auth, type));
  if (type === 'oauth2')
    return { name: 'oauth2', scheme: { type: 'oauth2', flows: [readFlow(attributes(auth, type))] } };
  throw new Unsupported(`Its authentication "${plainText(type, 40)}" is not supported.`);
}

const simple = (type: string): RequestAuth =>
  type === 'basic' ? { name: 'basic', scheme: { type: 'basic' } } : { name: 'bearer', scheme: { type: 'bearer' } };

function readApiKey(values: JsonObject): RequestAuth {
  const name = textMember(values, 'key') || 'X-API-Key';
  if (!/^[\w!#$%&'*+.^`|~-]{1,200}$/.test(name)) throw new Unsupported('Its API key has a name that cannot be sent.');
  return {
    name: safeKey(`api-key-${name}`),
    scheme: { type: 'api_key', in: textMember(values, 'in') === 'query' ? 'query' : 'header', name },
  };
}

function readFlow(values: JsonObject): OAuthFlow {
  const written = textMember(values, 'grant_type');
  const authorizeUrl = textMember(values, 'authUrl');
  const tokenUrl = textMember(values, 'accessTokenUrl');
  return {
    grant: (Object.hasOwn(grants, written) ? grants[written] : undefined) ?? 'authorization_code',
    ...(/^https?:/.test(authorizeUrl) && { authorizeUrl }),
    ...(/^https?:/.test(tokenUrl) && { tokenUrl }),
    scopes: textMember(values, 'scope')
      .split(' ')
      .filter((scope) => /^[\x21\x23-\x5b\x5d-\x7e]{1,300}$/.test(scope)),
  };
}

/** Reads the settings of an auth. They are pairs since version 2.1, and an object before that. */
function attributes(auth: unknown, type: string): JsonObject {
  if (isObject(auth) && isObject(auth[type])) return auth[type];
  return Object.fromEntries(listMember(auth, type).map((pair) => [textMember(pair, 'key'), textMember(pair, 'value')]));
}
