import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Actor, Deps } from '#src/infra/deps.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { dataKeyOf, type Place, sealedColumns, type SealedRow } from '#src/infra/vault/vault.ts';

/** Ten minutes are enough to sign in somewhere; the database counts them. */
const lifetimeMinutes = 10;
/** Authorisations of one credential under way at a time; the oldest make room. */
const openStates = 20;
const sweepBatch = 5_000;

const sealedSchema = z.object({ verifier: z.string(), client: z.string() });

/** An authorisation as it was begun. */
export interface BegunAuthorization {
  actor: Actor;
  credentialId: bigint;
  /** The PKCE verifier. */
  verifier: string;
  /** The client it was begun with, see `sameClient`. */
  client: string;
}

const hashOf = (state: string): Uint8Array<ArrayBuffer> => new Uint8Array(createHash('sha256').update(state).digest());

const placeOf = (tenantId: string, hash: Uint8Array): Place => ({
  tenantId,
  table: 'oauth_states',
  row: Buffer.from(hash).toString('hex'),
  column: 'verifier',
});

/** Keeps an authorisation under a new state of 32 random bytes, which it answers; the table holds only its hash. */
export async function createState(deps: Pick<Deps, 'vault'>, tx: TenantTx, begun: BegunAuthorization): Promise<string> {
  const { actor, credentialId, verifier, client } = begun;
  const { tenantId, orgId, userId, sub, email } = actor;
  const state = randomBytes(32).toString('base64url');
  const stateHash = hashOf(state);
  const text = JSON.stringify({ verifier, client });
  const { bytes, keyVersion } = await deps.vault.seal(tx, 'credentials', placeOf(tenantId, stateHash), text);
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
 * Uses a state up and answers what was begun with it; undefined for one that is unknown, used or expired. Of any number who
 * come with the same one, in whatever process, one gets an answer.
 */
export async function consumeState(
  { database, vault, redactor }: Pick<Deps, 'database' | 'vault' | 'redactor'>,
  state: string,
): Promise<BegunAuthorization | undefined> {
  const hash = hashOf(state);
  // Only for the tenant, whose keys nobody else sees; what counts is who deletes the row.
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
      FROM used u ${dataKeyOf('credentials', 'u')}`,
    values: [hash, tenantId],
  });
  if (!row) return undefined;
  const { verifier, client } = sealedSchema.parse(
    JSON.parse(vault.open('credentials', placeOf(tenantId, hash), row)) as unknown,
  );
  redactor.add(verifier);
  const { org_id: orgId, user_id: userId, sub, email } = row;
  const actor: Actor = { orgId, tenantId, userId: userId === null ? null : BigInt(userId), sub, email, channel: 'api' };
  return { actor, credentialId: BigInt(row.credential_id), verifier, client };
}

/** Deletes one batch of states that nobody came back with, and answers whether there may be more. */
export async function sweepStates({ database }: Pick<Deps, 'database'>): Promise<boolean> {
  const { rowCount } = await database.system.query(
    `DELETE FROM oauth_states WHERE state_hash IN (
       SELECT state_hash FROM oauth_states WHERE expires_at <= now() ORDER BY expires_at LIMIT $1
     )`,
    [sweepBatch],
  );
  return rowCount === sweepBatch;
}
