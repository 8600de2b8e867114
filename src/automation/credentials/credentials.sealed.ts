import type { SealedColumn } from '#src/infra/vault/rotation.ts';

const config: SealedColumn = {
  purpose: 'credentials',
  table: 'credentials',
  column: 'config',
  versionColumn: 'config_key_version',
  row: 't.id::text',
};

const grant: SealedColumn = {
  purpose: 'credentials',
  table: 'credentials',
  column: 'grant',
  versionColumn: 'grant_key_version',
  row: 't.id::text',
};

const verifier: SealedColumn = {
  purpose: 'credentials',
  table: 'oauth_states',
  column: 'verifier',
  versionColumn: 'key_version',
  row: `encode(t.state_hash, 'hex')`,
};

export const sealedCredentials: readonly SealedColumn[] = [config, grant, verifier];
