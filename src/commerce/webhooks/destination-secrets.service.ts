import type { Deps } from '#src/infra/deps.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { joinDataKey, type Place, type Sealed, sealedColumns, type SealedRow } from '#src/infra/vault/vault.ts';

/** The encrypted part of a destination. */
export interface Confidential {
  secret?: string;
  /** Also used for signatures, until the overlap of the rotation ends. */
  previousSecret?: string;
  headers?: Record<string, string>;
}

const vaultPlace = (tenantId: string, id: bigint | number): Place => ({
  tenantId,
  table: 'webhook_destinations',
  row: String(id),
  column: 'sealed',
});

/** SQL over the alias `d` of the destinations: the columns that `openConfidential` reads, and the join they need. */
export const confidentialSql = {
  columns: sealedColumns('d', 'sealed'),
  join: joinDataKey('secrets', 'd'),
};

/** The columns of the encrypted part; null if there is nothing to encrypt. */
export async function sealConfidential(
  { vault, redactor }: Pick<Deps, 'vault' | 'redactor'>,
  tx: TenantTx,
  tenantId: string,
  id: bigint,
  confidential: Confidential,
): Promise<{ sealed: Sealed['bytes'] | null; keyVersion: number | null }> {
  const { secret, previousSecret, headers = {} } = confidential;
  const texts = [secret, previousSecret, ...Object.values(headers)].filter((text) => text !== undefined);
  for (const text of texts) redactor.add(text);
  if (texts.length === 0) return { sealed: null, keyVersion: null };
  const { bytes, keyVersion } = await vault.seal(tx, 'secrets', vaultPlace(tenantId, id), JSON.stringify(confidential));
  return { sealed: bytes, keyVersion };
}

/** Throws UnreadableError. */
export function openConfidential(
  { vault, redactor }: Pick<Deps, 'vault' | 'redactor'>,
  tenantId: string,
  id: bigint | number,
  row: Omit<SealedRow, 'bytes' | 'keyVersion'> & { bytes: Uint8Array | null; keyVersion: number | null },
): Confidential {
  const { bytes, keyVersion } = row;
  if (bytes === null || keyVersion === null) return {};
  const text = vault.open('secrets', vaultPlace(tenantId, id), { ...row, bytes, keyVersion });
  const confidential = JSON.parse(text) as Confidential;
  const { secret, previousSecret, headers = {} } = confidential;
  for (const each of [secret, previousSecret, ...Object.values(headers)]) if (each !== undefined) redactor.add(each);
  return confidential;
}

/** Reads and decrypts the encrypted part of a destination, in the transaction that has locked it. */
export async function readConfidential(
  deps: Pick<Deps, 'vault' | 'redactor'>,
  tx: TenantTx,
  tenantId: string,
  id: bigint,
): Promise<Confidential> {
  const { rows } = await tx.query<Parameters<typeof openConfidential>[3]>(
    `SELECT ${confidentialSql.columns} FROM webhook_destinations d ${confidentialSql.join} WHERE d.tenant_id = $1 AND d.id = $2`,
    [tenantId, id],
  );
  return rows[0] ? openConfidential(deps, tenantId, id, rows[0]) : {};
}
