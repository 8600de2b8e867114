import { LRUCache } from 'lru-cache';
import type { Database } from '#src/infra/postgres/database.ts';
import { type Pin, type PinnedBlock, pinnedBlocks } from './pinned-blocks.rules.ts';

/** A registered version with its blocks by name. */
export interface Version {
  pin: Pin;
  blocks: ReadonlyMap<string, PinnedBlock>;
}

/** Reads versions by the id of their extension; those that the tenant may not see are left out. */
export type ReadVersions = (tenantId: string, ids: readonly number[]) => Promise<Map<number, Version>>;

/** Characters of manifests that a process keeps. */
const maxKept = 16 * 1024 * 1024;

/**
 * A version is immutable, so a process reads and parses its manifest once. Whether a tenant may see it is not cached: pass only ids that a
 * statement of the same request found in the tenant's own rows.
 */
export function createVersionReads(database: Pick<Database, 'tenantQuery'>): ReadVersions {
  const kept = new LRUCache<number, Version>({ maxSize: maxKept });

  return async (tenantId, ids) => {
    const found = new Map<number, Version>();
    const missing: number[] = [];
    for (const id of new Set(ids)) {
      const version = kept.get(id);
      if (version) found.set(id, version);
      else missing.push(id);
    }
    if (missing.length === 0) return found;
    const rows = await database.tenantQuery<Pin & { size: number }>(tenantId, {
      name: 'find-extension-versions',
      text: `
        SELECT id AS "extensionId", vendor, name, version, url, manifest, integrity, target_version AS "themeRange",
          length(manifest::text) + length(integrity::text) AS size
        FROM extensions WHERE id = ANY($1::bigint[])`,
      values: [missing],
    });
    for (const { size, ...pin } of rows) {
      const version = { pin, blocks: pinnedBlocks(pin) };
      kept.set(pin.extensionId, version, { size });
      found.set(pin.extensionId, version);
    }
    return found;
  };
}
