import type { ConfigField } from './manifest.ts';

/** A config field that refers to a credential. */
export interface CredentialRefField {
  key: string;
  /** Slugs of the types it takes. */
  types: readonly string[];
}

export const credentialFieldsOf = (config: readonly ConfigField[] = []): CredentialRefField[] =>
  config.flatMap(({ key, type, credential_types: types = [] }) => (type === 'credentials-ref' ? [{ key, types }] : []));

/** As far as the database counts. */
const maxId = 2n ** 63n - 1n;

/** The credential's id that such a field holds, in digits; undefined where it holds none. */
export function credentialIdOf(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && /^[1-9]\d{0,18}$/.test(text) && BigInt(text) <= maxId ? text : undefined;
}
