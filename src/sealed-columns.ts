import type { SealedColumn } from './infra/vault/rotation.ts';

/** Every column that holds ciphertexts: what a rotation of keys seals anew. A test holds this against the database. */
export const sealedColumns: readonly SealedColumn[] = [
  {
    purpose: 'credentials',
    table: 'credentials',
    column: 'config',
    versionColumn: 'config_key_version',
    row: 't.id::text',
  },
  {
    purpose: 'credentials',
    table: 'credentials',
    column: 'grant',
    versionColumn: 'grant_key_version',
    row: 't.id::text',
  },
  {
    purpose: 'credentials',
    table: 'oauth_states',
    column: 'verifier',
    versionColumn: 'key_version',
    row: `encode(t.state_hash, 'hex')`,
  },
  { purpose: 'secrets', table: 'tenant_secrets', column: 'value', versionColumn: 'key_version', row: 't.key' },
];
