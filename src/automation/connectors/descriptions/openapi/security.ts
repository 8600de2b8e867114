import type { OAuthFlow, SecurityScheme } from '#src/automation/connectors/descriptions/api-description.ts';
import { safeKey } from '#src/automation/connectors/descriptions/names.ts';
import { plainText } from '#src/automation/connectors/descriptions/plain-text.ts';
import { orReason, Unsupported } from '#src/automation/connectors/descriptions/unsupported.ts';
import {
  isObject,
  listMember,
  member,
  objectMember,
  textMember,
  type JsonObject,
} from '#src/automation/connectors/descriptions/untrusted-json.ts';
import type { OpenApiContext } from './context.ts';
import { absoluteUrl } from './servers.ts';

const maxAlternatives = 20;
const maxScopes = 500;

/** Grants, keyed by the names that each version uses. Descriptions of OpenAPI 3 also use the names of Swagger 2.0. */
const grants: Readonly<Record<string, OAuthFlow['grant']>> = {
  authorizationCode: 'authorization_code',
  accessCode: 'authorization_code',
  clientCredentials: 'client_credentials',
  application: 'client_credentials',
  password: 'password',
  implicit: 'implicit',
};

/** Reads the usable security schemes, keyed by their safe names. */
export function readSecuritySchemes(context: OpenApiContext, baseUrl: string): Record<string, SecurityScheme> {
  const { document, version, references } = context;
  const written =
    version === '2.0'
      ? objectMember(document, 'securityDefinitions')
      : objectMember(objectMember(document, 'components'), 'securitySchemes');
  const schemes = Object.entries(written).map(([name, value]) => {
    const read = orReason(() => readScheme(references.follow(value), (url) => absoluteUrl(url, baseUrl)));
    return [safeKey(name), 'value' in read ? read.value : undefined] as const;
  });
  return Object.fromEntries(schemes.filter((entry): entry is [string, SecurityScheme] => entry[1] !== undefined));
}

function readScheme(written: JsonObject, absolute: (url: string) => string): SecurityScheme | undefined {
  const text = plainText(textMember(written, 'description'), 300);
  const described = text === '' ? {} : { description: text };
  const type = textMember(written, 'type').toLowerCase();
  const scheme = textMember(written, 'scheme').toLowerCase();
  if (type === 'basic' || (type === 'http' && scheme === 'basic')) return { ...described, type: 'basic' };
  if (type === 'http' && scheme === 'bearer') {
    const format = plainText(textMember(written, 'bearerFormat'), 60);
    return { ...described, type: 'bearer', ...(format !== '' && { format }) };
  }
  if (type === 'apikey') {
    const place = textMember(written, 'in');
    const name = textMember(written, 'name');
    const isSendable = /^[\w!#$%&'*+.^`|~[\]-]{1,200}$/.test(name);
    return isSendable && (place === 'header' || place === 'query' || place === 'cookie')
      ? { ...described, type: 'api_key', in: place, name }
      : undefined;
  }
  if (type === 'oauth2') return { ...described, type: 'oauth2', flows: readFlows(written, absolute) };
  if (type === 'openidconnect')
    return { ...described, type: 'openid', url: absolute(textMember(written, 'openIdConnectUrl')) };
  return type === 'mutualtls' ? { ...described, type: 'mutual_tls' } : undefined;
}

function readFlows(written: JsonObject, absolute: (url: string) => string): OAuthFlow[] {
  const flows: [string, unknown][] = isObject(written['flows'])
    ? Object.entries(written['flows'])
    : [[textMember(written, 'flow'), written]];
  return flows.flatMap(([name, flow]) => {
    const grant = Object.hasOwn(grants, name) ? grants[name] : undefined;
    if (grant === undefined) return [];
    const authorizeUrl = textMember(flow, 'authorizationUrl');
    const tokenUrl = textMember(flow, 'tokenUrl');
    const scopes = Object.keys(objectMember(flow, 'scopes')).filter((scope) =>
      /^[\x21\x23-\x5b\x5d-\x7e]{1,300}$/.test(scope),
    );
    return [
      {
        grant,
        ...(authorizeUrl !== '' && { authorizeUrl: absolute(authorizeUrl) }),
        ...(tokenUrl !== '' && { tokenUrl: absolute(tokenUrl) }),
        scopes: scopes.slice(0, maxScopes),
      },
    ];
  });
}

/**
 * Reads the security alternatives of an operation. Alternatives with an unusable scheme are left out; throws Unsupported if none is left.
 */
export function readSecurity(
  operation: JsonObject,
  document: JsonObject,
  schemes: Readonly<Record<string, SecurityScheme>>,
): string[][] {
  const owner = Array.isArray(member(operation, 'security')) ? operation : document;
  const written = listMember(owner, 'security').slice(0, maxAlternatives).filter(isObject);
  const alternatives = written.map((alternative) => Object.keys(alternative).map(safeKey));
  const usable = alternatives.filter((names) => names.every((name) => Object.hasOwn(schemes, name)));
  if (usable.length > 0 || alternatives.length === 0) return usable;
  const missing = alternatives.flat().find((name) => !Object.hasOwn(schemes, name)) ?? '';
  throw new Unsupported(`Its security scheme "${missing}" is not described, or is of a type that is not supported.`);
}
