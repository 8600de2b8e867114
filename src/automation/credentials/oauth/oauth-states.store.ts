import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Actor, Deps } from '#src/infra/deps.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { joinDataKey, type Place, sealedColumns, type SealedRow } from '#src/infra/vault/vault.ts';

/** Ten minutes are enough to sign in; they count by the database's clock. */
const lifetimeMinutes = 10;
/** The most open authorisations of one credential; a new one replaces the oldest. */
const openStates = 20;
const sweepBatch = 5_000;

const sealedSchema = z.object({ verifier: z.string(), client: z.string() });

/** An authorisation in progress. */
export interface BegunAuthorization {
  actor: Actor;
  credentialId: bigint;
  /** The PKCE verifier. */
  verifier: string;
  /** The client that it began with, see `sameClient`. */
  client: string;
}

const hashState = (state: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(createHash('sha256').update(state).digest());

const vaultPlace = (tenantId: string, hash: Uint8Array): Place => ({
  tenantId,
  table: 'oauth_states',
  row: Buffer.from(hash).toString('hex'),
  column: 'verifier',
});

/** Stores an authorisation and returns its new state: `prefix` and 32 random bytes in base64url. The table holds only the hash. */
export async function createState(
  deps: Deps,
  tx: TenantTx,
  begun: BegunAuthorization,
  prefix: string,
): Promise<string> {
  const { actor, credentialId, verifier, client } = begun;
  const { tenantId, orgId, userId, sub, email } = actor;
  const state = prefix + randomBytes(32).toString('base64url');
  const stateHash = hashState(state);
  const text = JSON.stringify({ verifier, client });
  const { bytes, keyVersion } = await deps.vault.seal(tx, 'credentials', vaultPlace(tenantId, stateHash), text);
  await tx.$executeRaw`
    DELETE FROM oauth_states WHERE state_hash IN (
      SELECT state_hash FROM oauth_states WHERE tenant_id = ${tenantId} AND credential_id = ${credentialId}
      ORDER BY expires_at DESC OFFSET ${openStates - 1}
    )`;
  await tx.$executeRaw`
    INSERT INTO oauth_states
      (state_hash, tenant_id, org_id, credential_id, user_id, sub, email, verifier, key_version, expires_at)
    VALUES (${stateHash}, ${tenantId}, ${orgId}, ${credentialId}, ${userId}, ${sub}, ${email}, ${bytes}, ${keyVersion},
      now() + ${lifetimeMinutes} * interval '1 minute')`;
  return state;
}

interface StateRow extends SealedRow {
  tenant_id: string;
  org_id: string;
  credential_id: number;
  user_id: number | null;
  sub: string | null;
  email: string | null;
}

/**
 * Consumes a state and returns its authorisation; undefined when the state is unknown, used or expired. Of concurrent callers
 * with the same state, in any process, only one gets the authorisation.
 */
export async function consumeState(
  { database, vault, redactor }: Deps,
  state: string,
): Promise<BegunAuthorization | undefined> {
  const hash = hashState(state);
  // Finds only the tenant, whose keys are needed; the delete decides who gets the state.
  const found = await database.global.oauthState.findUnique({ where: { stateHash: hash }, select: { tenantId: true } });
  if (!found) return undefined;
  const { tenantId } = found;
  const [row] = await database.tenantQuery<StateRow & Record<string, unknown>>(tenantId, {
    name: 'oauth-state-use',
    text: `
      WITH used AS (
        DELETE FROM oauth_states WHERE state_hash = $1 AND tenant_id = $2 AND expires_at > now() RETURNING *
      )
      SELECT u.tenant_id, u.org_id, u.credential_id, u.user_id, u.sub, u.email, ${sealedColumns('u', 'verifier')}
      FROM used u ${joinDataKey('credentials', 'u')}`,
    values: [hash, tenantId],
  });
  if (!row) return undefined;
  const { verifier, client } = sealedSchema.parse(
    JSON.parse(vault.open('credentials', vaultPlace(tenantId, hash), row)) as unknown,
  );
  redactor.add(verifier);
  const { org_id: orgId, user_id: userId, sub, email } = row;
  const actor: Actor = { orgId, tenantId, userId: userId === null ? null : BigInt(userId), sub, email, channel: 'api' };
  return { actor, credentialId: BigInt(row.credential_id), verifier, client };
}

/** Deletes one batch of expired states and returns whether there may be more. */
export async function sweepStates({ database }: Deps): Promise<boolean> {
  const { rowCount } = await database.system.query(
    `DELETE FROM oauth_states WHERE state_hash IN (
       SELECT state_hash FROM oauth_states WHERE expires_at <= now() ORDER BY expires_at LIMIT $1
     )`,
    [sweepBatch],
  );
  return rowCount === sweepBatch;
}
