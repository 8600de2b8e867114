import type { ConfigField } from './manifest.ts';

/** A config field that references a credential. */
export interface CredentialRefField {
  key: string;
  /** Slugs of the credential types that it accepts. */
  types: readonly string[];
}

export const listCredentialFields = (config: readonly ConfigField[] = []): CredentialRefField[] =>
  config.flatMap(({ key, type, credential_types: types = [] }) => (type === 'credentials-ref' ? [{ key, types }] : []));

/** The largest id of the database. */
const maxId = 2n ** 63n - 1n;

/** The credential's id in such a field, in digits; undefined when it has none. */
export function parseCredentialId(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && /^[1-9]\d{0,18}$/.test(text) && BigInt(text) <= maxId ? text : undefined;
}
