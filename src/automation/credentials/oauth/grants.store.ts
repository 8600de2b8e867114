import {
  type CredentialKey,
  type CredentialStatus,
  vaultPlace,
  sealGrant,
} from '#src/automation/credentials/credentials.store.ts';
import type { Deps } from '#src/infra/deps.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { joinDataKey, sealedColumns, type SealedRow } from '#src/infra/vault/vault.ts';
import { grantEnd, type Grant, readGrant, planRefresh } from './grant.rules.ts';
import { secretMembers } from './token-members.rules.ts';

/** The current grant of a credential. */
export interface GrantState {
  status: CredentialStatus;
  grant: Grant | null;
  /** Counts grants, so that a result computed from an older grant never overwrites a newer one. */
  version: number;
  /** True when the access token must be refreshed. */
  isDue: boolean;
  /** The time by the database's clock. */
  now: Date;
}

interface GrantRow {
  status: CredentialStatus;
  version: number;
  isDue: boolean;
  now: Date;
  bytes: Uint8Array | null;
}

/** Reads only the grant, in one round trip: it is needed before each request that the credential signs. */
export async function readGrantState(
  { database, vault, redactor }: Deps,
  { tenantId, id }: CredentialKey,
): Promise<GrantState | undefined> {
  const [row] = await database.tenantQuery<GrantRow & Omit<SealedRow, 'bytes'> & Record<string, unknown>>(tenantId, {
    name: 'oauth-grant-read',
    text: `
      SELECT c.status, c.grant_version AS version, coalesce(c.refresh_at <= now(), false) AS "isDue", now() AS now,
        ${sealedColumns('c', '"grant"', 'grant_key_version')}
      FROM credentials c ${joinDataKey('credentials', 'c', 'grant_key_version')} WHERE c.tenant_id = $1 AND c.id = $2`,
    values: [tenantId, id],
  });
  if (!row) return undefined;
  const { status, version, isDue, now, bytes } = row;
  const grant =
    bytes && readGrant(JSON.parse(vault.open('credentials', vaultPlace(tenantId, id, 'grant'), { ...row, bytes })));
  if (grant) rememberTokens(redactor, grant);
  return { status, grant, version, isDue, now };
}

const rememberTokens = (redactor: Deps['redactor'], { access_token, refresh_token, members }: Grant): void => {
  redactor.add(access_token);
  if (refresh_token !== null) redactor.add(refresh_token);
  for (const secret of secretMembers(members)) redactor.add(secret);
};

/** Takes a lease of `leaseMs` on refreshing this version of the grant, unless another process holds one. */
export async function claimRefresh(
  { database }: Deps,
  { tenantId, id }: CredentialKey,
  { lease, version, leaseMs }: { lease: string; version: number; leaseMs: number },
): Promise<boolean> {
  const rows = await database.tenantQuery(tenantId, {
    name: 'oauth-refresh-claim',
    text: `
      UPDATE credentials SET refresh_lease = $3, refresh_lease_until = now() + $5 * interval '1 millisecond'
      WHERE tenant_id = $1 AND id = $2 AND grant_version = $4 AND status = 'active'
        AND (refresh_lease_until IS NULL OR refresh_lease_until <= now())
      RETURNING 1 AS held`,
    values: [tenantId, id, lease, version, leaseMs],
  });
  return rows.length > 0;
}

/** Releases the lease; no process can claim another for `restMs`. */
export async function releaseRefresh(
  { database }: Deps,
  { tenantId, id }: CredentialKey,
  lease: string,
  restMs: number,
): Promise<void> {
  await database.tenantQuery(tenantId, {
    name: 'oauth-refresh-release',
    text: `
      UPDATE credentials SET refresh_lease = NULL, refresh_lease_until = now() + $4 * interval '1 millisecond'
      WHERE tenant_id = $1 AND id = $2 AND refresh_lease = $3`,
    values: [tenantId, id, lease, restMs],
  });
}

interface LockedRow {
  version: number;
  lease: string | null;
  typeSlug: string;
  name: string;
  expiresAt: Date | null;
  /** True when `credential.expired` was published, see expiry-notices.service.ts. */
  isExpiryPublished: boolean;
  /** The time by the database's clock. */
  now: Date;
}

/** Locks the credential until the transaction ends. */
export async function lockGrant(tx: TenantTx, { tenantId, id }: CredentialKey): Promise<LockedRow | undefined> {
  const [row] = await tx.$queryRaw<LockedRow[]>`
    SELECT grant_version AS version, refresh_lease::text AS lease, credential_type_slug AS "typeSlug", name,
      expires_at AS "expiresAt", coalesce(expiry_noticed_days = 0, false) AS "isExpiryPublished", clock_timestamp() AS now
    FROM credentials WHERE tenant_id = ${tenantId} AND id = ${id} FOR UPDATE`;
  return row;
}

/** Stores a grant as the next version, in the transaction that holds the row's lock; refreshes of older versions are dropped. */
export async function writeGrant(deps: Deps, tx: TenantTx, key: CredentialKey, grant: Grant): Promise<void> {
  rememberTokens(deps.redactor, grant);
  const { grant: bytes, grantKeyVersion } = await sealGrant(deps, tx, key, grant);
  // Without an authorisation, the expiry is that of the secrets, which a user entered.
  const keepsExpiry = grant.grant_type !== 'authorization_code';
  await tx.$executeRaw`
    UPDATE credentials SET "grant" = ${bytes}, grant_key_version = ${grantKeyVersion}, grant_version = grant_version + 1,
      status = 'active', refresh_at = ${planRefresh(grant)}::timestamptz, refresh_lease = NULL, refresh_lease_until = NULL,
      expires_at = CASE WHEN ${keepsExpiry} THEN expires_at ELSE ${grantEnd(grant)}::timestamptz END,
      expiry_noticed_days = CASE WHEN ${keepsExpiry} OR expires_at IS NOT DISTINCT FROM ${grantEnd(grant)}::timestamptz
        THEN expiry_noticed_days END
    WHERE tenant_id = ${key.tenantId} AND id = ${key.id}`;
}

/** Ends an active grant; false when it is not active. Marks the notice of an expired grant as published; a revoked one needs none. */
export async function endStatus(
  tx: TenantTx,
  { tenantId, id }: CredentialKey,
  status: 'expired' | 'revoked',
): Promise<boolean> {
  const isOver = status === 'expired';
  const changed = await tx.$executeRaw`
    UPDATE credentials SET status = ${status}::credential_status, refresh_at = NULL, refresh_lease = NULL, refresh_lease_until = NULL,
      expires_at = CASE WHEN ${isOver} THEN expires_at END, expiry_noticed_days = CASE WHEN ${isOver} THEN 0 END,
      updated_at = now()
    WHERE tenant_id = ${tenantId} AND id = ${id} AND status = 'active'`;
  return changed > 0;
}
