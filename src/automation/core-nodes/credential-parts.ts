import type { CredentialField, CredentialTypeManifest } from '#src/automation/node-api/manifest.ts';

export const field = (
  key: string,
  type: CredentialField['type'],
  label: string,
  more: Omit<CredentialField, 'key' | 'type' | 'label'> = {},
): CredentialField => ({ key, type, label, ...more });

export const required = { required: true } as const;

/** Fields of the client that gets tokens of OAuth. */
export const oauthClientFields: CredentialField[] = [
  field('discovery_url', 'url', 'Discovery URL', {
    help: 'The address of an OpenID provider, or of its /.well-known/openid-configuration, which says the two addresses below.',
  }),
  field('authorize_url', 'url', 'Authorisation URL', {
    help: 'Required if a user authorises the access and there is no discovery URL.',
  }),
  field('token_url', 'url', 'Token URL', { help: 'Required if there is no discovery URL.' }),
  field('client_id', 'string', 'Client id', required),
  field('client_secret', 'secret', 'Client secret', required),
  field('scopes', 'string', 'Scopes', { help: 'Separated by spaces.' }),
];

/** A credential type of package `core` that only nodes for its protocol use. */
export const connectionType = (
  name: string,
  title: string,
  description: string,
  fields: CredentialField[],
): CredentialTypeManifest => ({
  slug: `core:${name}`,
  version: '1.0.0',
  name: title,
  description,
  auth_kind: 'secret',
  fields,
});
