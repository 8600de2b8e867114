import { NodeError } from './node-error.ts';
import type { OpenCredential } from './ports.ts';

async function need(credential: OpenCredential, field: string): Promise<string> {
  const value = await credential.field(field);
  if (value === undefined || value === '') {
    throw new NodeError('CREDENTIAL_INCOMPLETE', `The credential has no ${field}; complete or reconnect it.`);
  }
  return value;
}

type Header = readonly [name: string, value: string];

const schemes: Readonly<Record<string, (credential: OpenCredential) => Promise<Header>>> = {
  'core:bearer': async (credential) => ['authorization', `Bearer ${await need(credential, 'token')}`],
  'core:oauth2': async (credential) => ['authorization', `Bearer ${await need(credential, 'access_token')}`],
  'core:api-key': async (credential) => [
    (await need(credential, 'header')).toLowerCase(),
    await need(credential, 'value'),
  ],
  'core:basic': async (credential) => {
    const pair = `${await need(credential, 'username')}:${await need(credential, 'password')}`;
    const encoded = Buffer.from(pair).toString('base64');
    credential.onDerived?.(encoded);
    return ['authorization', `Basic ${encoded}`];
  },
};

/** The header with which a credential authenticates. Rejects with a NodeError for types outside package core. */
export async function credentialHeader(credential: OpenCredential): Promise<Header> {
  const scheme = Object.hasOwn(schemes, credential.type) ? schemes[credential.type] : undefined;
  if (scheme) return scheme(credential);
  throw new NodeError('CREDENTIAL_UNUSABLE', `core:http-request cannot use a credential of type ${credential.type}.`);
}
