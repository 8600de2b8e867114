import { randomBytes } from 'node:crypto';
import type { Database, TenantTx } from '#src/infra/postgres/database.ts';
import { keyBytes, open, seal, UnreadableError } from './cipher.ts';
import { type KeyRings, keyVariable, type Purpose, purposes } from './key-ring.ts';
import { unwrapDataKey, wrapDataKey } from './wrapped-keys.ts';

/** Where a ciphertext is stored; it cannot be opened anywhere else. */
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
 * A ciphertext and its data key, read by one statement (see `joinDataKey`): two statements could see the states before and after a rotation.
 */
export interface SealedRow {
  bytes: Uint8Array;
  keyVersion: number;
  /** Null when the key is retired or missing. */
  wrapped: Uint8Array | null;
  kekId: string | null;
}

/**
 * Seals text at rest: a key-encryption key outside the database wraps a data key per tenant and purpose, which seals texts
 * with AES-256-GCM, bound to their place. Never logs or keeps a text.
 */
export interface Vault {
  /** Seals under the tenant's newest data key, creating the first, in the transaction that stores the ciphertext. */
  seal(tx: TenantTx, purpose: Purpose, place: Place, text: string): Promise<Sealed>;
  /** The same for many texts of one tenant, with one lookup of its keys. */
  sealer(tx: TenantTx, purpose: Purpose, tenantId: string): Promise<(place: Place, text: string) => Sealed>;
  /** Throws UnreadableError. */
  open(purpose: Purpose, place: Place, row: SealedRow): string;
  /** Creates the next data key under the current key-encryption key; from now on it seals everything. */
  addDataKey(tx: TenantTx, purpose: Purpose, tenantId: string): Promise<number>;
  /**
   * Throws an error that names every key-encryption key that the database needs and that was not given. Call it before serving,
   * since sealed data could not be opened.
   */
  assertKeys(): Promise<void>;
}

interface DataKeyRow {
  version: number;
  wrapped: Uint8Array;
  kek_id: string;
}

/** SQL: the columns of a SealedRow, for a table's alias and the names of its columns. Use it with `joinDataKey`. */
export const sealedColumns = (alias: string, column: string, versionColumn = 'key_version'): string =>
  `${alias}.${column} AS bytes, ${alias}.${versionColumn} AS "keyVersion", k.wrapped, k.kek_id AS "kekId"`;

/** SQL: the join that reads a ciphertext's data key. */
export const joinDataKey = (purpose: Purpose, alias: string, versionColumn = 'key_version'): string =>
  `LEFT JOIN data_keys k ON k.tenant_id = ${alias}.tenant_id AND k.purpose = '${purpose}' AND k.version = ${alias}.${versionColumn}`;

const rememberedKeys = 2_000;
/** A writer whose key is retired meanwhile tries again, and finds a newer one each time. */
const maxAttempts = 5;

const placeName = ({ tenantId, table, row, column }: Place): string => [tenantId, table, row, column].join('/');

/** The place as bound by the cipher; JSON keeps the parts apart, so that no two places have the same text. */
const bound = (purpose: Purpose, { tenantId, table, row, column }: Place, version: number): string =>
  JSON.stringify(['causeway', purpose, tenantId, table, row, column, version]);

export const createVault = (options: { database: Database; rings: KeyRings }): Vault => new KeyRingVault(options);

class KeyRingVault implements Vault {
  readonly #database: Database;
  readonly #rings: KeyRings;
  /** Unwrapped data keys, so that each is unwrapped once. */
  readonly #dataKeys = new Map<string, Uint8Array>();

  constructor({ database, rings }: { database: Database; rings: KeyRings }) {
    this.#database = database;
    this.#rings = rings;
  }

  async seal(tx: TenantTx, purpose: Purpose, place: Place, text: string): Promise<Sealed> {
    return (await this.sealer(tx, purpose, place.tenantId))(place, text);
  }

  async sealer(tx: TenantTx, purpose: Purpose, tenantId: string): Promise<(place: Place, text: string) => Sealed> {
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      // In this order, so that a key created in between is found instead of created again.
      const last = attempt === 1 ? null : await lastVersion(tx, purpose, tenantId);
      const row = await lockNewestKey(tx, purpose, tenantId);
      if (row) {
        const key = this.#unwrap(purpose, tenantId, row.version, row.wrapped, row.kek_id);
        return (place, text) => ({
          bytes: new Uint8Array(seal(key, bound(purpose, place, row.version), Buffer.from(text, 'utf8'))),
          keyVersion: row.version,
        });
      }
      if (last !== null) await this.#insertDataKey(tx, purpose, tenantId, last + 1);
    }
    throw new Error(`Tenant ${tenantId} has no data key for ${purpose}, and none could be made.`);
  }

  open(purpose: Purpose, place: Place, { bytes, keyVersion, wrapped, kekId }: SealedRow): string {
    const name = placeName(place);
    if (wrapped === null || kekId === null) {
      throw new UnreadableError(name, `its data key, version ${keyVersion}, is retired`);
    }
    const key = this.#unwrap(purpose, place.tenantId, keyVersion, wrapped, kekId);
    try {
      return open(key, bound(purpose, place, keyVersion), bytes).toString('utf8');
    } catch (error) {
      // The bound text is for the cipher only; messages show the place.
      throw error instanceof UnreadableError ? new UnreadableError(name, 'it was altered or moved', error) : error;
    }
  }

  async addDataKey(tx: TenantTx, purpose: Purpose, tenantId: string): Promise<number> {
    const version = (await lastVersion(tx, purpose, tenantId)) + 1;
    await this.#insertDataKey(tx, purpose, tenantId, version);
    return version;
  }

  async assertKeys(): Promise<void> {
    const { rows } = await this.#database.system.query<{ purpose: Purpose; kek_id: string; tenants: number }>(
      `SELECT purpose, kek_id, count(DISTINCT tenant_id) AS tenants FROM data_keys WHERE retired_at IS NULL
       GROUP BY purpose, kek_id ORDER BY purpose, kek_id LIMIT 100`,
    );
    const missing = rows.filter(
      ({ purpose, kek_id: id }) => purposes.includes(purpose) && !this.#rings[purpose].keys.has(id),
    );
    if (missing.length === 0) return;
    const sentences = missing.map(({ purpose, kek_id: id, tenants }) => {
      const variable = keyVariable(purpose);
      return `${variable}: the ${purpose} of ${tenants} ${tenants === 1 ? 'tenant are' : 'tenants are'} sealed under key ${id}, which is missing (the present one is ${this.#rings[purpose].current}). Put it into ${variable} or ${variable}_PREVIOUS.`;
    });
    throw new Error(sentences.join(' '));
  }

  #unwrap(purpose: Purpose, tenantId: string, version: number, wrapped: Uint8Array, kekId: string): Uint8Array {
    const name = `${purpose}/${tenantId}/${version}/${kekId}`;
    const known = this.#dataKeys.get(name);
    if (known) return known;
    const key = unwrapDataKey(this.#rings, { purpose, tenantId, version, kekId, wrapped });
    if (this.#dataKeys.size >= rememberedKeys) this.#dataKeys.clear();
    this.#dataKeys.set(name, key);
    return key;
  }

  async #insertDataKey(tx: TenantTx, purpose: Purpose, tenantId: string, version: number): Promise<void> {
    const { kekId, wrapped } = wrapDataKey(this.#rings, { purpose, tenantId, version }, randomBytes(keyBytes));
    // Another process may be creating it at the same time; either key will do.
    await tx.$executeRaw`
      INSERT INTO data_keys (tenant_id, purpose, version, kek_id, wrapped)
      VALUES (${tenantId}, ${purpose}, ${version}, ${kekId}, ${new Uint8Array(wrapped)}) ON CONFLICT DO NOTHING`;
  }
}

/** The newest data key, locked until the transaction ends so that no rotation retires it before the ciphertext is stored. */
async function lockNewestKey(tx: TenantTx, purpose: Purpose, tenantId: string): Promise<DataKeyRow | undefined> {
  const [row] = await tx.$queryRaw<DataKeyRow[]>`
    SELECT version, wrapped, kek_id FROM data_keys
    WHERE tenant_id = ${tenantId} AND purpose = ${purpose} AND retired_at IS NULL
    ORDER BY version DESC LIMIT 1 FOR KEY SHARE`;
  return row;
}

/** Counts retired keys, too; 0 when there is none. */
async function lastVersion(tx: TenantTx, purpose: Purpose, tenantId: string): Promise<number> {
  const { _max: last } = await tx.dataKey.aggregate({ where: { tenantId, purpose }, _max: { version: true } });
  return last.version ?? 0;
}
