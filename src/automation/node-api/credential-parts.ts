import type { ClientCertificate } from '#src/infra/egress/connector.ts';
import { NodeError } from './node-error.ts';
import { restorePem } from './pem.rules.ts';
import type { OpenCredential } from './ports.ts';

/** Reads a field that the request needs. */
export async function needField(credential: OpenCredential, field: string): Promise<string> {
  const value = await credential.field(field);
  if (value === undefined || value === '') {
    throw new NodeError('CREDENTIAL_INCOMPLETE', `The credential has no ${field}; complete or reconnect it.`);
  }
  return value;
}

/** The value of the header for HTTP basic authentication. */
export function basicAuthorization(credential: OpenCredential, username: string, password: string): string {
  const encoded = Buffer.from(`${username}:${password}`).toString('base64');
  credential.onDerived?.(encoded);
  return `Basic ${encoded}`;
}

/** The client certificate in a credential, from the fields that hold it. */
export async function readCertificate(
  credential: OpenCredential,
  fields: { certificate: string; key: string; ca?: string | undefined },
): Promise<ClientCertificate> {
  const ca = fields.ca === undefined ? undefined : await credential.field(fields.ca);
  return {
    cert: restorePem(await needField(credential, fields.certificate)),
    key: restorePem(await needField(credential, fields.key)),
    ...(ca !== undefined && ca.trim() !== '' && { ca: restorePem(ca) }),
  };
}

/** The parts of a request by which a credential authenticates it. */
export interface CredentialParts {
  /** The names are in lower case. */
  headers: Record<string, string>;
  certificate?: ClientCertificate;
}

const header = (name: string, value: string): CredentialParts => ({ headers: { [name.toLowerCase()]: value } });

const schemes: Readonly<Record<string, (credential: OpenCredential) => Promise<CredentialParts>>> = {
  'core:bearer': async (credential) => header('authorization', `Bearer ${await needField(credential, 'token')}`),
  'core:oauth2': async (credential) => header('authorization', `Bearer ${await needField(credential, 'access_token')}`),
  'core:session': async (credential) =>
    header(
      await needField(credential, 'header'),
      `${(await credential.field('prefix')) ?? ''}${await needField(credential, 'access_token')}`,
    ),
  'core:api-key': async (credential) =>
    header(await needField(credential, 'header'), await needField(credential, 'value')),
  'core:basic': async (credential) =>
    header(
      'authorization',
      basicAuthorization(credential, await needField(credential, 'username'), await needField(credential, 'password')),
    ),
  'core:client-certificate': async (credential) => ({
    headers: {},
    certificate: await readCertificate(credential, { certificate: 'certificate', key: 'certificate_key', ca: 'ca' }),
  }),
};

/** Reads the parts of a request from a credential of package core. Rejects with a NodeError for other types. */
export async function credentialParts(credential: OpenCredential): Promise<CredentialParts> {
  const scheme = Object.hasOwn(schemes, credential.type) ? schemes[credential.type] : undefined;
  if (scheme) return scheme(credential);
  throw new NodeError('CREDENTIAL_UNUSABLE', `core:http-request cannot use a credential of type ${credential.type}.`);
}
