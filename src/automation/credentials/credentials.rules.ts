import { decodeJwt } from 'jose';
import { checkFieldValues, fieldValues, publicValues } from '#src/automation/node-api/field-values.rules.ts';
import type { CredentialField, CredentialTypeManifest } from '#src/automation/node-api/manifest.ts';
import { ValidationError } from '#src/infra/errors.ts';
import { storableJson } from '#src/infra/json.ts';
import { readGrantType } from './oauth/oauth-client.rules.ts';

type Values = Record<string, unknown>;

export interface CredentialConfig {
  /** Only the type's fields, with defaults filled in. */
  values: Values;
  /** The values that are not secret. */
  publicConfig: object;
}

type ConfigType = Pick<CredentialTypeManifest, 'fields'> &
  Partial<Pick<CredentialTypeManifest, 'auth_kind' | 'oauth2'>>;

/**
 * The addresses of the provider are required unless they are discovered, that of the authorisation only if a user authorises the credential.
 * A field cannot declare such a condition.
 */
function addressFaults({ auth_kind: kind, oauth2 = {}, fields }: ConfigType, given: Values): string[] {
  const isGiven = (key: 'authorize_url' | 'token_url' | 'discovery_url') =>
    oauth2[key] !== undefined ||
    (readValue(given, key) ?? fields.find((field) => field.key === key)?.default ?? '') !== '';
  if (kind !== 'oauth2' || isGiven('discovery_url')) return [];
  const missing = (key: 'authorize_url' | 'token_url', unless: string): string[] => {
    const field = fields.find((each) => each.key === key);
    if (!field || field.required === true || isGiven(key)) return [];
    return [`The field "${field.label ?? field.key}" is required${unless}.`];
  };
  const hasDiscovery = fields.some(({ key }) => key === 'discovery_url');
  const needsUser = readGrantType({ auth_kind: kind, oauth2 }, given) === 'authorization_code';
  return [
    ...missing('token_url', hasDiscovery ? ', unless "discovery_url" is given' : ''),
    ...(needsUser ? missing('authorize_url', ', unless "grant_type" is "client_credentials"') : []),
  ];
}

const maxConfigBytes = 65_536;

/** A config as it is stored. Throws a ValidationError with every fault under `config`; no message repeats a value. */
export function readConfig(type: ConfigType, given: Values): CredentialConfig {
  const { fields } = type;
  const faults = [...checkFieldValues(fields, given).map(({ message }) => message), ...addressFaults(type, given)];
  if (faults.length > 0) throw new ValidationError({ config: faults });
  const values = fieldValues(fields, given);
  if (Buffer.byteLength(storableJson(values, 'config')) > maxConfigBytes) {
    throw new ValidationError({ config: [`A config may be at most ${maxConfigBytes} bytes of JSON.`] });
  }
  return { values, publicConfig: publicValues(fields, values) };
}

export const isSecret = ({ type }: CredentialField): boolean => type === 'secret';

/**
 * Completes the config that an editor sends without seeing the secrets: secret fields that it leaves out keep their stored
 * value; `null` or '' clears them.
 */
export function withStoredSecrets(fields: readonly CredentialField[], given: Values, stored: Values): Values {
  const kept = fields.filter(
    (field) => isSecret(field) && Object.hasOwn(stored, field.key) && readValue(given, field.key) === undefined,
  );
  return { ...given, ...Object.fromEntries(kept.map(({ key }) => [key, stored[key]])) };
}

const readValue = (values: Values, key: string): unknown => (Object.hasOwn(values, key) ? values[key] : undefined);

/** True when any of the named values differs. */
const changes = (keys: readonly string[], before: Values, after: Values): boolean =>
  keys.some((key) => JSON.stringify(readValue(before, key)) !== JSON.stringify(readValue(after, key)));

export const changesSecrets = (fields: readonly CredentialField[], before: Values, after: Values): boolean =>
  changes(
    fields.filter(isSecret).map(({ key }) => key),
    before,
    after,
  );

/** A grant is only valid for the client and server it was made for. The secret of a client that users authorise may be renewed. */
export const changesAuthorisation = (before: Values, after: Values): boolean =>
  changes(['discovery_url', 'authorize_url', 'token_url', 'issuer', 'client_id'], before, after);

/** A token that no user authorised is valid only for the settings that it was requested with. */
export const changesOwnToken = (before: Values, after: Values): boolean =>
  changesAuthorisation(before, after) || changes(ownTokenSettings, before, after);

const ownTokenSettings = [
  'client_secret',
  'scopes',
  'audience',
  'resource',
  'client_authentication',
  'username',
  'password',
  'login_url',
  'login_as',
  'login_body',
  'username_member',
  'password_member',
  'token_in',
  'token_name',
  'lifetime_s',
];

/** The earliest expiry among the secrets that state one: JWTs do. */
export function findExpiry(fields: readonly CredentialField[], values: Values): Date | null {
  const times = fields.filter(isSecret).flatMap(({ key }) => jwtExpiry(readValue(values, key)) ?? []);
  return times.length === 0 ? null : new Date(Math.min(...times) * 1_000);
}

const lastSecond = Date.parse('9999-12-31T23:59:59Z') / 1_000;

/** Seconds since 1970. Not verified, because only a reminder depends on it. */
function jwtExpiry(value: unknown): number | undefined {
  try {
    const { exp } = decodeJwt(String(value));
    return typeof exp === 'number' && exp > 0 && exp <= lastSecond ? exp : undefined;
  } catch {
    return undefined;
  }
}

/** How many days before a credential expires its notices are published. Each comes once, unless the expiry changes. */
export const expiryNoticeDays = { first: 14, second: 3 } as const;
