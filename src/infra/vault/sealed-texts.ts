import type { Deps } from '#src/infra/deps.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { joinDataKey, type Place, type Sealed, sealedColumns, type SealedRow } from './vault.ts';

type Texts = Readonly<Record<string, string>>;
type SealingDeps = Pick<Deps, 'vault' | 'redactor'>;

interface Key {
  tenantId: string;
  id: bigint | number;
}

/** The secret texts of a table's rows, by name. They are sealed in one column `sealed`, with `key_version`. Logs never show them. */
export interface SealedTexts {
  /** The values of the two columns; null if there are no texts. */
  seal(
    deps: SealingDeps,
    tx: TenantTx,
    key: Key,
    texts: Texts,
  ): Promise<{ sealed: Sealed['bytes'] | null; keyVersion: number | null }>;
  /** Empty if nothing is sealed. Throws UnreadableError. */
  read(deps: SealingDeps, tx: Pick<Tx, 'query'>, key: Key): Promise<Texts>;
}

/** For a table whose rows are identified by `tenant_id` and `id`; its name comes from our code. */
export function createSealedTexts(table: string): SealedTexts {
  const vaultPlace = ({ tenantId, id }: Key): Place => ({ tenantId, table, row: String(id), column: 'sealed' });
  const statement = `SELECT ${sealedColumns('t', 'sealed')} FROM ${table} t ${joinDataKey('secrets', 't')}
    WHERE t.tenant_id = $1 AND t.id = $2 AND t.sealed IS NOT NULL`;
  return {
    async seal({ vault, redactor }, tx, key, texts) {
      if (Object.keys(texts).length === 0) return { sealed: null, keyVersion: null };
      for (const text of Object.values(texts)) redactor.add(text);
      const { bytes, keyVersion } = await vault.seal(tx, 'secrets', vaultPlace(key), JSON.stringify(texts));
      return { sealed: bytes, keyVersion };
    },
    async read({ vault, redactor }, tx, key) {
      const { rows } = await tx.query<SealedRow>(statement, [key.tenantId, key.id]);
      const [row] = rows;
      if (!row) return {};
      const texts = JSON.parse(vault.open('secrets', vaultPlace(key), row)) as Texts;
      for (const text of Object.values(texts)) redactor.add(text);
      return texts;
    },
  };
}
