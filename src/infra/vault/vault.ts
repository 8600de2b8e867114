import { randomBytes } from 'node:crypto';
import type { Database, TenantTx } from '#src/infra/postgres/database.ts';
import { keyBytes, open, seal, UnreadableError } from './cipher.ts';
import { type KeyRings, keyVariable, type Purpose, purposes } from './key-ring.ts';

/** Where a ciphertext stands; it opens nowhere else. */
export interface Place {
  tenantId: string;
  table: string;
  /** The row's key within the tenant. */
  row: string;
  column: string;
}

export interface Sealed {
  bytes: Uint8Array<ArrayBuffer>;
  keyVersion: number;
}

/**
 * A ciphertext with its data key, as one statement read them (see `dataKeyOf`): two statements could stand on either side of
 * a rotation.
 */
export interface SealedRow {
  bytes: Uint8Array;
  keyVersion: number;
  /** Null where the key is retired or gone. */
  wrapped: Uint8Array | null;
  kekId: string | null;
}

/**
 * Seals text at rest: a key-encryption key outside the database wraps a data key for each tenant and purpose, and that seals
 * with AES-256-GCM, naming the place. Nothing here logs or keeps a text.
 */
export interface Vault {
  /** Seals under the tenant's newest data key, making the first, in the transaction that stores the ciphertext. */
  seal(tx: TenantTx, purpose: Purpose, place: Place, text: string): Promise<Sealed>;
  /** The same for many texts of one tenant, after one look at its keys. */
  sealer(tx: TenantTx, purpose: Purpose, tenantId: string): Promise<(place: Place, text: string) => Sealed>;
  /** Throws UnreadableError. */
  open(purpose: Purpose, place: Place, row: SealedRow): string;
  /** Makes the next data key, under the present key-encryption key: from now on everything is sealed with it. */
  addDataKey(tx: TenantTx, purpose: Purpose, tenantId: string): Promise<number>;
  /**
   * Throws a sentence naming each key-encryption key that the database needs and nobody gave. Call it before serving: what is
   * sealed could not be opened.
   */
  assertKeys(): Promise<void>;
}

interface DataKeyRow {
  version: number;
  wrapped: Uint8Array;
  kek_id: string;
}

/** SQL: the columns of a SealedRow, for a table's alias and the names of its columns. Goes with `dataKeyOf`. */
export const sealedColumns = (alias: string, column: string, versionColumn = 'key_version'): string =>
  `${alias}.${column} AS bytes, ${alias}.${versionColumn} AS "keyVersion", k.wrapped, k.kek_id AS "kekId"`;

/** SQL: the join that reads a ciphertext's data key with it. */
export const dataKeyOf = (purpose: Purpose, alias: string, versionColumn = 'key_version'): string =>
  `LEFT JOIN data_keys k ON k.tenant_id = ${alias}.tenant_id AND k.purpose = '${purpose}' AND k.version = ${alias}.${versionColumn}`;

const rememberedKeys = 2_000;
/** A writer that finds its key retired under its hands looks again; each look finds a newer one. */
const looks = 5;

const placeName = ({ tenantId, table, row, column }: Place): string => [tenantId, table, row, column].join('/');

/** The place as the cipher binds it: every part with its length, so that no two places spell the same. */
const bound = (purpose: Purpose, { tenantId, table, row, column }: Place, version: number): string =>
  JSON.stringify(['causeway', purpose, tenantId, table, row, column, version]);

const keyPlace = (purpose: Purpose, tenantId: string, version: number): string =>
  JSON.stringify(['causeway', 'data-key', purpose, tenantId, version]);

export function createVault({ database, rings }: { database: Database; rings: KeyRings }): Vault {
  const known = new Map<string, Uint8Array>();

  function unwrap(purpose: Purpose, tenantId: string, version: number, wrapped: Uint8Array, kekId: string): Uint8Array {
    const name = `${purpose}/${tenantId}/${version}/${kekId}`;
    const found = known.get(name);
    if (found) return found;
    const kek = rings[purpose].keys.get(kekId);
    if (!kek)
      throw new UnreadableError(name, `key ${kekId} is neither ${keyVariable(purpose)} nor among the previous ones`);
    const key = open(kek, keyPlace(purpose, tenantId, version), wrapped);
    if (known.size >= rememberedKeys) known.clear();
    known.set(name, key);
    return key;
  }

  /** The newest data key, held until the transaction ends so that no rotation retires it before the ciphertext is stored. */
  async function newest(tx: TenantTx, purpose: Purpose, tenantId: string): Promise<DataKeyRow | undefined> {
    const [row] = await tx.$queryRaw<DataKeyRow[]>`
      SELECT version, wrapped, kek_id FROM data_keys
      WHERE tenant_id = ${tenantId} AND purpose = ${purpose} AND retired_at IS NULL
      ORDER BY version DESC LIMIT 1 FOR KEY SHARE`;
    return row;
  }

  async function highest(tx: TenantTx, purpose: Purpose, tenantId: string): Promise<number> {
    const { _max: most } = await tx.dataKey.aggregate({ where: { tenantId, purpose }, _max: { version: true } });
    return most.version ?? 0;
  }

  async function makeDataKey(tx: TenantTx, purpose: Purpose, tenantId: string, version: number): Promise<void> {
    const { current, keys } = rings[purpose];
    const wrapped = seal(keys.get(current) as Uint8Array, keyPlace(purpose, tenantId, version), randomBytes(keyBytes));
    // Somebody else may be making it at the same time; theirs is as good.
    await tx.$executeRaw`
      INSERT INTO data_keys (tenant_id, purpose, version, kek_id, wrapped)
      VALUES (${tenantId}, ${purpose}, ${version}, ${current}, ${wrapped}) ON CONFLICT DO NOTHING`;
  }

  async function sealer(tx: TenantTx, purpose: Purpose, tenantId: string) {
    for (let look = 1; look <= looks; look += 1) {
      // In this order: a key that another makes in between is found, not made again.
      const last = look === 1 ? null : await highest(tx, purpose, tenantId);
      const row = await newest(tx, purpose, tenantId);
      if (row) {
        const key = unwrap(purpose, tenantId, row.version, row.wrapped, row.kek_id);
        return (place: Place, text: string): Sealed => ({
          bytes: new Uint8Array(seal(key, bound(purpose, place, row.version), Buffer.from(text, 'utf8'))),
          keyVersion: row.version,
        });
      }
      if (last !== null) await makeDataKey(tx, purpose, tenantId, last + 1);
    }
    throw new Error(`Tenant ${tenantId} has no data key for ${purpose}, and none could be made.`);
  }

  return {
    sealer,
    seal: async (tx, purpose, place, text) => (await sealer(tx, purpose, place.tenantId))(place, text),
    async addDataKey(tx, purpose, tenantId) {
      const version = (await highest(tx, purpose, tenantId)) + 1;
      await makeDataKey(tx, purpose, tenantId, version);
      return version;
    },
    open(purpose, place, { bytes, keyVersion, wrapped, kekId }) {
      const name = placeName(place);
      if (wrapped === null || kekId === null) {
        throw new UnreadableError(name, `its data key, version ${keyVersion}, is retired`);
      }
      const key = unwrap(purpose, place.tenantId, keyVersion, wrapped, kekId);
      try {
        return open(key, bound(purpose, place, keyVersion), bytes).toString('utf8');
      } catch (error) {
        // The bound spelling is for the cipher; people get the place.
        throw error instanceof UnreadableError ? new UnreadableError(name, 'it was altered or moved', error) : error;
      }
    },
    async assertKeys() {
      const { rows } = await database.system.query<{ purpose: Purpose; kek_id: string; tenants: number }>(
        `SELECT purpose, kek_id, count(DISTINCT tenant_id) AS tenants FROM data_keys WHERE retired_at IS NULL
         GROUP BY purpose, kek_id ORDER BY purpose, kek_id LIMIT 100`,
      );
      const missing = rows.filter(
        ({ purpose, kek_id: id }) => purposes.includes(purpose) && !rings[purpose].keys.has(id),
      );
      if (missing.length === 0) return;
      const sentences = missing.map(({ purpose, kek_id: id, tenants }) => {
        const variable = keyVariable(purpose);
        return `${variable}: the ${purpose} of ${tenants} ${tenants === 1 ? 'tenant are' : 'tenants are'} sealed under key ${id}, which is missing (the present one is ${rings[purpose].current}). Put it into ${variable} or ${variable}_PREVIOUS.`;
      });
      throw new Error(sentences.join(' '));
    },
  };
}
