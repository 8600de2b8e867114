import { z } from 'zod';
import type { SealedColumn } from '#src/infra/vault/rotation.ts';
import { defineAudited } from '#src/journal/audit/audited.ts';
import { defineTopic } from '#src/journal/outbox/topic.ts';

export const auditedCredential = defineAudited({
  type: 'credential',
  node: 'Credential',
  actions: ['create', 'update', 'delete'],
});

const credential = {
  credential_id: z.int(),
  name: z.string(),
  credential_type_slug: z.string(),
};
const end = { expires_at: z.iso.datetime(), days_left: z.int().nonnegative() };

export const credentialExpiring = defineTopic({
  name: 'credential.expiring',
  when: '14 and 3 days before a credential expires',
  data: z.object({ ...credential, ...end }),
});

export const credentialExpired = defineTopic({
  name: 'credential.expired',
  when: 'when a credential expires',
  data: z.object({ ...credential, ...end }),
});

export const credentialRevoked = defineTopic({
  name: 'credential.revoked',
  when: 'when the provider revokes a grant',
  data: z.object(credential),
});

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
