import { createCountedCache } from '#src/infra/memory.ts';
import { createLeasedLookup } from '#src/infra/postgres/batching/leased-lookup.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { isInRange, whyOutOfRange } from '#src/themes/installations/installations.rules.ts';
import { readBlockName } from './blocks.rules.ts';
import type { PinnedBlock } from './pinned-blocks.rules.ts';
import { createVersionReads, type Version } from './versions.reads.ts';

/** The blocks that the pages of a tenant may show. */
export interface Catalogue {
  /** Those of a theme, by name; those for a type of page where one is given. */
  list(tenantId: string, { theme, pageType }: { theme: string; pageType?: string | null }): Promise<PinnedBlock[]>;
  /** Those of these names; left out are those not installed, disabled, blocked, or whose theme is out of range. */
  find(tenantId: string, names: readonly string[], onHidden?: OnHidden): Promise<Map<string, PinnedBlock>>;
  /** Whether one that was found would be found again. */
  isStill(tenantId: string, block: PinnedBlock): Promise<boolean>;
}

/** Is told why a block of an installed extension is left out: its theme is out of range. */
export type OnHidden = (name: string, why: string) => void;

/** What can change of a block: the version that the tenant has pinned, and the version that it has of the theme. */
interface Pinned {
  extensionId: number;
  /** `<vendor>/<name>` of the extension. */
  extension: string;
  themeVersion: string;
}

interface Asked {
  tenantId: string;
  /** `<vendor>/<name>` of the extension. */
  extension: string;
}

const pinned = `
  SELECT e.id AS "extensionId", i.vendor || '/' || i.name AS extension, t.version AS "themeVersion"
  FROM extension_installations i
  JOIN extensions e ON e.id = i.extension_id
  JOIN theme_installations ti ON ti.tenant_id = i.tenant_id AND ti.key = e.target_theme
  JOIN themes t ON t.id = ti.theme_id
  WHERE i.tenant_id = $1 AND i.status = 'installed' AND NOT e.blocked`;

/** Pins whose reads a process keeps. */
const maxLeases = 10_000;

/**
 * What can change is read every 25 to 50 ms, which whoever disables, blocks or upgrades waits for, so that the next request sees it in
 * any process. Reads of a tenant that begin together share one statement. What cannot change is kept.
 */
export function createCatalogue(database: Pick<Database, 'tenantQuery'>): Catalogue {
  const readVersions = createVersionReads(database);
  const inRange = createCountedCache<string, boolean>(10_000);

  const pinnedOf = createLeasedLookup<Asked, Pinned>({
    most: maxLeases,
    keyOf: ({ tenantId, extension }) => `${tenantId} ${extension}`,
    async read(asked) {
      const tenants = [...Map.groupBy(asked, ({ tenantId }) => tenantId)];
      const found = await Promise.all(
        tenants.map(async ([tenantId, all]) => {
          const extensions = all.map(({ extension }) => extension.split('/'));
          const rows = await database.tenantQuery<Pinned & Record<string, unknown>>(tenantId, {
            name: 'find-pinned-extensions',
            text: `${pinned} AND (i.vendor, i.name) IN (SELECT * FROM unnest($2::text[], $3::text[]))`,
            values: [tenantId, extensions.map(([vendor]) => vendor), extensions.map(([, name]) => name)],
          });
          return [tenantId, new Map(rows.map((row) => [row.extension, row]))] as const;
        }),
      );
      const byTenant = new Map(found);
      return asked.map(({ tenantId, extension }) => byTenant.get(tenantId)?.get(extension) ?? null);
    },
  });

  function isShown({ pin: { themeRange } }: Pick<Version, 'pin'>, themeVersion: string): boolean {
    const key = `${themeVersion} ${themeRange}`;
    const known = inRange.get(key) ?? isInRange(themeVersion, themeRange);
    inRange.set(key, known);
    return known;
  }

  return {
    async list(tenantId, { theme, pageType }) {
      const rows = await database.tenantQuery<Pinned & Record<string, unknown>>(tenantId, {
        name: 'list-pinned-extensions',
        text: `${pinned} AND e.target_theme = $2`,
        values: [tenantId, theme],
      });
      const versions = await readVersions(
        tenantId,
        rows.map(({ extensionId }) => extensionId),
      );
      return rows
        .flatMap(({ extensionId, themeVersion }) => {
          const version = versions.get(extensionId);
          return version && isShown(version, themeVersion) ? [...version.blocks.values()] : [];
        })
        .filter(({ block }) => pageType == null || block.enabledOn.includes(pageType))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },

    async find(tenantId, names, onHidden) {
      // No name has a NUL character, which Postgres refuses.
      const asked = names.flatMap((name) => {
        const parts = name.includes('\0') ? null : readBlockName(name);
        return parts ? [{ name, extension: `${parts.vendor}/${parts.name}` }] : [];
      });
      const found = await Promise.all(
        asked.map(async ({ name, extension }) => ({ name, row: await pinnedOf({ tenantId, extension }) })),
      );
      const rows = found.flatMap(({ name, row }) => (row ? [{ name, ...row }] : []));
      const versions = await readVersions(
        tenantId,
        rows.map(({ extensionId }) => extensionId),
      );
      const blocks = rows.flatMap(({ name, extensionId, themeVersion }) => {
        const version = versions.get(extensionId);
        const block = version?.blocks.get(name);
        if (!version || !block) return [];
        if (isShown(version, themeVersion)) return [[name, block] as const];
        const { manifest, themeRange } = version.pin;
        onHidden?.(name, whyOutOfRange(manifest.target.theme, themeRange, themeVersion));
        return [];
      });
      return new Map(blocks);
    },

    async isStill(tenantId, { pin }) {
      // Whoever asks leases the answer, and would go on by two leases in turn for longer than is waited for.
      const row = await pinnedOf({ tenantId, extension: `${pin.vendor}/${pin.name}` }, { anew: true });
      return row?.extensionId === pin.extensionId && isShown({ pin }, row.themeVersion);
    },
  };
}
