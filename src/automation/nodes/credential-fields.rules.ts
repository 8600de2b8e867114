import type { ConfigField } from './manifest.ts';

/** A config field that refers to a credential. */
export interface CredentialRefField {
  key: string;
  /** Slugs of the types it takes. */
  types: readonly string[];
}

export const credentialFieldsOf = (config: readonly ConfigField[] = []): CredentialRefField[] =>
  config.flatMap(({ key, type, credential_types: types = [] }) => (type === 'credentials-ref' ? [{ key, types }] : []));
