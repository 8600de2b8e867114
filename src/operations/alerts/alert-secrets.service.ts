import type { Deps } from '#src/infra/deps.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import type { Place, Sealed } from '#src/infra/vault/vault.ts';
import type { SealedSecret } from './alert-messages.store.ts';

const vaultPlace = (tenantId: string, id: bigint | number): Place => ({
  tenantId,
  table: 'alert_recipients',
  row: String(id),
  column: 'sealed',
});

/** The columns of a secret that signs calls; null for none. */
export async function sealSecret(
  { vault, redactor }: Pick<Deps, 'vault' | 'redactor'>,
  tx: TenantTx,
  { tenantId, id }: { tenantId: string; id: bigint },
  secret: string | null,
): Promise<{ sealed: Sealed['bytes'] | null; keyVersion: number | null }> {
  if (secret === null) return { sealed: null, keyVersion: null };
  redactor.add(secret);
  const { bytes, keyVersion } = await vault.seal(tx, 'secrets', vaultPlace(tenantId, id), secret);
  return { sealed: bytes, keyVersion };
}

/** Decrypts the secret of a recipient; undefined if it has none. Throws UnreadableError. */
export function openSecret(
  { vault, redactor }: Pick<Deps, 'vault' | 'redactor'>,
  { tenantId, id }: { tenantId: string; id: number },
  row: SealedSecret,
): string | undefined {
  const { bytes, keyVersion } = row;
  if (bytes === null || keyVersion === null) return undefined;
  const secret = vault.open('secrets', vaultPlace(tenantId, id), { ...row, bytes, keyVersion });
  redactor.add(secret);
  return secret;
}
