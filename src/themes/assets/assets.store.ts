import type { Database } from '#src/infra/postgres/database.ts';

export interface StoredAsset {
  contentType: string;
  storageKey: string;
  integrity: string;
}

/**
 * A declared file of a version that some tenant has installed or disabled, and that is not blocked. Searched in all tenants, because
 * browsers do not send one.
 */
export async function findServedAsset(
  { system }: Pick<Database, 'system'>,
  { vendor, name, version, path }: { vendor: string; name: string; version: string; path: string },
): Promise<StoredAsset | undefined> {
  const { rows } = await system.query<StoredAsset>({
    name: 'find-served-asset',
    text: `
      SELECT a.content_type AS "contentType", a.storage_key AS "storageKey", a.integrity
      FROM extensions e JOIN extension_assets a ON a.extension_id = e.id AND a.path = $4
      WHERE e.vendor = $1 AND e.name = $2 AND e.version = $3 AND NOT e.blocked AND EXISTS (
        SELECT FROM extension_installations i WHERE i.extension_id = e.id AND i.status <> 'uninstalled'
      )`,
    values: [vendor, name, version, path],
  });
  return rows[0];
}
