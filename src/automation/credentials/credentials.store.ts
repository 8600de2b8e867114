import type { AuthKind, CredentialStatus } from '#prisma/enums.ts';
import type { CredentialUse } from '#src/automation/node-api/api-call.ts';
import type { Deps } from '#src/infra/deps.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import type { Place, SealedRow } from '#src/infra/vault/vault.ts';
import { secretMembers } from './oauth/token-members.rules.ts';

export type { CredentialStatus };

/** A credential with its config and grant decrypted. Hand out single fields of it, and never log it. */
export interface StoredCredential {
  tenantId: string;
  id: bigint;
  typeSlug: string;
  name: string;
  status: CredentialStatus;
  config: Record<string, unknown>;
  /** The values of the fields that are not secret. */
  publicConfig: Record<string, unknown>;
  /** The grant of a 3-legged authorisation. */
  grant: Record<string, unknown> | null;
  grantVersion: number;
  refreshAt: Date | null;
  expiresAt: Date | null;
  /** True if the credential states a rate limit, or an answer of its API has shown one. */
  isLimited: boolean;
  /** The rules by which requests carry the credential, from the latest version of its type; null if the type is no longer registered. */
  type: { authKind: AuthKind; sends: CredentialUse[] | null } | null;
}

interface Row {
  typeSlug: string;
  name: string;
  status: CredentialStatus;
  publicConfig: Record<string, unknown>;
  config: Uint8Array;
  configKeyVersion: number;
  configWrapped: Uint8Array | null;
  configKekId: string | null;
  grant: Uint8Array | null;
  grantKeyVersion: number | null;
  grantWrapped: Uint8Array | null;
  grantKekId: string | null;
  grantVersion: number;
  refreshAt: Date | null;
  expiresAt: Date | null;
  isLimited: boolean;
  type: StoredCredential['type'];
}

/** Config and grant may use different data keys. One statement reads both, as two could see different sides of a rotation. */
const select = `
  SELECT c.credential_type_slug AS "typeSlug", c.name, c.status, c.public_config AS "publicConfig",
    c.config, c.config_key_version AS "configKeyVersion", ck.wrapped AS "configWrapped", ck.kek_id AS "configKekId",
    c."grant", c.grant_key_version AS "grantKeyVersion", gk.wrapped AS "grantWrapped", gk.kek_id AS "grantKekId",
    c.grant_version AS "grantVersion", c.refresh_at AS "refreshAt", c.expires_at AS "expiresAt",
    c.rate_requests IS NOT NULL OR EXISTS (SELECT FROM credential_rates r WHERE r.tenant_id = c.tenant_id AND r.credential_id = c.id) AS "isLimited",
    (SELECT jsonb_build_object('authKind', t.manifest -> 'auth_kind', 'sends', t.manifest -> 'sends')
     FROM credential_types t WHERE t.slug = c.credential_type_slug
     ORDER BY t.version_order DESC, t.version DESC LIMIT 1) AS type
  FROM credentials c
  LEFT JOIN data_keys ck ON ck.tenant_id = c.tenant_id AND ck.purpose = 'credentials' AND ck.version = c.config_key_version
  LEFT JOIN data_keys gk ON gk.tenant_id = c.tenant_id AND gk.purpose = 'credentials' AND gk.version = c.grant_key_version
  WHERE c.tenant_id = $1 AND c.id = $2`;

/**
 * Reads and decrypts a credential in one round trip, with its type's description of how requests carry it. Throws UnreadableError when its
 * ciphertext cannot be opened.
 */
export async function readCredential(deps: Deps, tenantId: string, id: bigint): Promise<StoredCredential | undefined> {
  const [row] = await deps.database.tenantQuery<Row & Record<string, unknown>>(tenantId, {
    name: 'credential-read',
    text: select,
    values: [tenantId, id],
  });
  return row && openRow(deps, tenantId, id, row);
}

/** The same, with the row locked until the transaction ends. */
export async function lockCredential(
  deps: Deps,
  tx: TenantTx,
  tenantId: string,
  id: bigint,
): Promise<StoredCredential | undefined> {
  // A separate statement: after waiting for a row lock, only a new statement sees the row's current keys.
  await tx.$queryRaw`SELECT 1 FROM credentials WHERE tenant_id = ${tenantId} AND id = ${id} FOR UPDATE`;
  const [row] = await tx.$queryRawUnsafe<Row[]>(select, tenantId, id);
  return row && openRow(deps, tenantId, id, row);
}

function openRow({ vault, redactor }: Deps, tenantId: string, id: bigint, row: Row): StoredCredential {
  const { typeSlug, name, status, publicConfig, grantVersion, refreshAt, expiresAt, isLimited, type } = row;
  const open = (column: Column, sealed: SealedRow) =>
    JSON.parse(vault.open('credentials', vaultPlace(tenantId, id, column), sealed)) as Record<string, unknown>;
  const config = open('config', {
    bytes: row.config,
    keyVersion: row.configKeyVersion,
    wrapped: row.configWrapped,
    kekId: row.configKekId,
  });
  const grant =
    row.grant === null || row.grantKeyVersion === null
      ? null
      : open('grant', {
          bytes: row.grant,
          keyVersion: row.grantKeyVersion,
          wrapped: row.grantWrapped,
          kekId: row.grantKekId,
        });
  const stored = { tenantId, id, typeSlug, name, status, publicConfig, config, grant };
  for (const secret of listSecrets(stored)) redactor.add(secret);
  return { ...stored, grantVersion, refreshAt, expiresAt, isLimited, type };
}

type Column = 'config' | 'grant';

export const vaultPlace = (tenantId: string, id: bigint, column: Column): Place => ({
  tenantId,
  table: 'credentials',
  row: String(id),
  column,
});

/** Every secret text of a credential: the secret fields of its config, and the tokens and secret members of its grant. */
export const listSecrets = ({
  config,
  publicConfig,
  grant,
}: Pick<StoredCredential, 'config' | 'grant'> & { publicConfig: object }): string[] => [
  ...listTexts(config, (key) => !Object.hasOwn(publicConfig, key)),
  ...listTexts(grant ?? {}, (key) => key.endsWith('token')),
  ...secretMembers(grant?.['members']),
];

const listTexts = (values: Record<string, unknown>, isSecret: (key: string) => boolean): string[] =>
  Object.entries(values).flatMap(([key, value]) => (isSecret(key) && typeof value === 'string' ? [value] : []));

/** The id of the next credential; its ciphertext is bound to the id before the row exists. */
export async function nextCredentialId(tx: TenantTx): Promise<bigint> {
  const [row] = await tx.$queryRaw<{ id: bigint }[]>`SELECT nextval('credentials_id_seq') AS id`;
  return (row as { id: bigint }).id;
}

export interface CredentialKey {
  tenantId: string;
  id: bigint;
}

/** The columns that store a credential's config. */
export async function sealConfig({ vault }: Deps, tx: TenantTx, key: CredentialKey, config: object) {
  const { bytes, keyVersion } = await sealJson(vault, tx, key, 'config', config);
  return { config: bytes, configKeyVersion: keyVersion };
}

/** The columns that store a credential's grant. */
export async function sealGrant({ vault }: Deps, tx: TenantTx, key: CredentialKey, grant: object) {
  const { bytes, keyVersion } = await sealJson(vault, tx, key, 'grant', grant);
  return { grant: bytes, grantKeyVersion: keyVersion };
}

const sealJson = (vault: Deps['vault'], tx: TenantTx, { tenantId, id }: CredentialKey, column: Column, value: object) =>
  vault.seal(tx, 'credentials', vaultPlace(tenantId, id, column), JSON.stringify(value));
