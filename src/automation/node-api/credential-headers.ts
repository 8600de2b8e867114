import { NodeError } from './node-error.ts';
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

type Header = readonly [name: string, value: string];

const schemes: Readonly<Record<string, (credential: OpenCredential) => Promise<Header>>> = {
  'core:bearer': async (credential) => ['authorization', `Bearer ${await needField(credential, 'token')}`],
  'core:oauth2': async (credential) => ['authorization', `Bearer ${await needField(credential, 'access_token')}`],
  'core:api-key': async (credential) => [
    (await needField(credential, 'header')).toLowerCase(),
    await needField(credential, 'value'),
  ],
  'core:basic': async (credential) => [
    'authorization',
    basicAuthorization(credential, await needField(credential, 'username'), await needField(credential, 'password')),
  ],
};

/** The header with which a credential authenticates. Rejects with a NodeError for types outside package core. */
export async function credentialHeader(credential: OpenCredential): Promise<Header> {
  const scheme = Object.hasOwn(schemes, credential.type) ? schemes[credential.type] : undefined;
  if (scheme) return scheme(credential);
  throw new NodeError('CREDENTIAL_UNUSABLE', `core:http-request cannot use a credential of type ${credential.type}.`);
}
