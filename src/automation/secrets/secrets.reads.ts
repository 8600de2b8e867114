import type { ExpressionScope } from '#src/automation/expressions/scope.ts';
import type { Deps } from '#src/infra/deps.ts';
import type { OrderedList } from '#src/infra/postgres/lists/ordered-list.ts';
import { contains } from '#src/infra/postgres/lists/sql-parameters.ts';
import { joinDataKey, type Place, sealedColumns, type SealedRow } from '#src/infra/vault/vault.ts';
import { secretKeyPattern } from './secrets.inputs.ts';

export const secretPlace = (tenantId: string, key: string): Place => ({
  tenantId,
  table: 'tenant_secrets',
  row: key,
  column: 'value',
});

/** Exported for the test of its plan. */
export const readSecretSql = `SELECT ${sealedColumns('s', 'value')} FROM tenant_secrets s ${joinDataKey('secrets', 's')}
  WHERE s.tenant_id = $1 AND s.key = $2`;

/** A secret's value; undefined when the tenant has no secret of that name. Throws UnreadableError. */
export async function readSecret(
  { database, vault, redactor }: Deps,
  tenantId: string,
  key: string,
): Promise<string | undefined> {
  if (!secretKeyPattern.test(key)) return undefined;
  const [row] = await database.tenantQuery<SealedRow & Record<string, unknown>>(tenantId, {
    name: 'read-secret',
    text: readSecretSql,
    values: [tenantId, key],
  });
  if (!row) return undefined;
  const value = vault.open('secrets', secretPlace(tenantId, key), row);
  redactor.add(value);
  return value;
}

/**
 * A tenant's secrets as expressions read them: each is loaded at its first use and cached for the lifetime of this object,
 * which is one run or one test. `onSecret` receives every value before anyone else.
 */
export function openSecrets(
  deps: Deps,
  tenantId: string,
  onSecret?: (value: string) => void,
): ExpressionScope['secrets'] {
  const known = new Map<string, string | Promise<string | undefined>>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const reading = readSecret(deps, tenantId, key).then(
      (value) => {
        if (value === undefined) known.delete(key);
        else {
          onSecret?.(value);
          known.set(key, value);
        }
        return value;
      },
      (error: unknown) => {
        known.delete(key);
        throw error;
      },
    );
    known.set(key, reading);
    return reading;
  };
}

export interface SecretFilter {
  /** Part of the key. */
  search?: string | null;
  /** Prefix of the key. */
  prefix?: string | null;
}

export const secretList: OrderedList<'KEY' | 'CREATED_AT' | 'UPDATED_AT', SecretFilter & { tenantId: string }> = {
  from: 'tenant_secrets s',
  id: { sql: 's.key', type: 'text' },
  orders: {
    KEY: [],
    CREATED_AT: [{ sql: 's.created_at', type: 'timestamptz' }],
    UPDATED_AT: [{ sql: 's.updated_at', type: 'timestamptz' }],
  },
  where({ tenantId, search, prefix }, parameters) {
    const where = [`s.tenant_id = ${parameters.add(tenantId)}`];
    if (search) where.push(contains(['s.key'], search, parameters));
    if (prefix) where.push(`starts_with(s.key, ${parameters.add(prefix)})`);
    return where;
  },
};
