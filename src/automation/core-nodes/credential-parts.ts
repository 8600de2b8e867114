import type { CredentialField, CredentialTypeManifest } from '#src/automation/node-api/manifest.ts';

export const field = (
  key: string,
  type: CredentialField['type'],
  label: string,
  more: Omit<CredentialField, 'key' | 'type' | 'label'> = {},
): CredentialField => ({ key, type, label, ...more });

export const required = { required: true } as const;

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
