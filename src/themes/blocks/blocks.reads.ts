import { createCountedCache } from '#src/infra/memory.ts';
import { createLeasedLookup } from '#src/infra/postgres/batching/leased-lookup.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { isInRange, whyOutOfRange } from '#src/themes/installations/installations.rules.ts';
import { readBlockName } from './blocks.rules.ts';
import type { PinnedBlock } from './pinned-blocks.rules.ts';
import { createVersionReads, type Version } from './versions.reads.ts';

/** The blocks that the pages of a tenant may show. */
export interface Catalogue {
  /** The blocks of a theme, by name; with `pageType`, only those for that type of page. */
  list(tenantId: string, { theme, pageType }: { theme: string; pageType?: string | null }): Promise<PinnedBlock[]>;
  /** The blocks with these names; blocks that are not installed, disabled, blocked, or whose theme is out of range are left out. */
  find(tenantId: string, names: readonly string[], onHidden?: OnHidden): Promise<Map<string, PinnedBlock>>;
  /** True if a block that was found would be found again. */
  isStill(tenantId: string, block: PinnedBlock): Promise<boolean>;
}

/** Receives the reason why a block of an installed extension is left out: its theme is out of range. */
export type OnHidden = (name: string, why: string) => void;

/** The mutable state of a block: the version that the tenant has pinned, and the version of its theme. */
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

/** Number of pins whose reads a process caches. */
const maxLeases = 10_000;

/**
 * Mutable state is read every 25 to 50 ms. Disabling, blocking and upgrading wait that long, so that the next request in any process
 * sees the change. Reads of a tenant that begin together share one statement. Immutable data is cached.
 */
export const createCatalogue = (database: Pick<Database, 'tenantQuery'>): Catalogue => new BlockCatalogue(database);

class BlockCatalogue implements Catalogue {
  readonly #database: Pick<Database, 'tenantQuery'>;
  readonly #readVersions: ReturnType<typeof createVersionReads>;
  readonly #findPinned = createLeasedLookup<Asked, Pinned>({
    most: maxLeases,
    toKey: ({ tenantId, extension }) => `${tenantId} ${extension}`,
    read: (asked) => this.#readPinned(asked),
  });
  /** Results of `isInRange`. */
  readonly #inRange = createCountedCache<string, boolean>(10_000);

  constructor(database: Pick<Database, 'tenantQuery'>) {
    this.#database = database;
    this.#readVersions = createVersionReads(database);
  }

  async list(
    tenantId: string,
    { theme, pageType }: { theme: string; pageType?: string | null },
  ): Promise<PinnedBlock[]> {
    const rows = await this.#database.tenantQuery<Pinned & Record<string, unknown>>(tenantId, {
      name: 'list-pinned-extensions',
      text: `${pinned} AND e.target_theme = $2`,
      values: [tenantId, theme],
    });
    const versions = await this.#readVersions(
      tenantId,
      rows.map(({ extensionId }) => extensionId),
    );
    return rows
      .flatMap(({ extensionId, themeVersion }) => {
        const version = versions.get(extensionId);
        return version && this.#isShown(version, themeVersion) ? [...version.blocks.values()] : [];
      })
      .filter(({ block }) => pageType == null || block.enabledOn.includes(pageType))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  async find(tenantId: string, names: readonly string[], onHidden?: OnHidden): Promise<Map<string, PinnedBlock>> {
    // No name has a NUL character, which Postgres refuses.
    const asked = names.flatMap((name) => {
      const parts = name.includes('\0') ? null : readBlockName(name);
      return parts ? [{ name, extension: `${parts.vendor}/${parts.name}` }] : [];
    });
    const found = await Promise.all(
      asked.map(async ({ name, extension }) => ({ name, row: await this.#findPinned({ tenantId, extension }) })),
    );
    const rows = found.flatMap(({ name, row }) => (row ? [{ name, ...row }] : []));
    const versions = await this.#readVersions(
      tenantId,
      rows.map(({ extensionId }) => extensionId),
    );
    const blocks = rows.flatMap(({ name, extensionId, themeVersion }) => {
      const version = versions.get(extensionId);
      const block = version?.blocks.get(name);
      if (!version || !block) return [];
      if (this.#isShown(version, themeVersion)) return [[name, block] as const];
      const { manifest, themeRange } = version.pin;
      onHidden?.(name, whyOutOfRange(manifest.target.theme, themeRange, themeVersion));
      return [];
    });
    return new Map(blocks);
  }

  async isStill(tenantId: string, { pin }: PinnedBlock): Promise<boolean> {
    // The caller leases too; two leases in a row would exceed the 60 ms wait.
    const row = await this.#findPinned({ tenantId, extension: `${pin.vendor}/${pin.name}` }, { anew: true });
    return row?.extensionId === pin.extensionId && this.#isShown({ pin }, row.themeVersion);
  }

  /** The pins of extensions that several tenants asked for, in their order. */
  async #readPinned(asked: readonly Asked[]): Promise<(Pinned | null)[]> {
    const tenants = [...Map.groupBy(asked, ({ tenantId }) => tenantId)];
    const found = await Promise.all(
      tenants.map(async ([tenantId, all]) => {
        const extensions = all.map(({ extension }) => extension.split('/'));
        const rows = await this.#database.tenantQuery<Pinned & Record<string, unknown>>(tenantId, {
          name: 'find-pinned-extensions',
          text: `${pinned} AND (i.vendor, i.name) IN (SELECT * FROM unnest($2::text[], $3::text[]))`,
          values: [tenantId, extensions.map(([vendor]) => vendor), extensions.map(([, name]) => name)],
        });
        return [tenantId, new Map(rows.map((row) => [row.extension, row]))] as const;
      }),
    );
    const byTenant = new Map(found);
    return asked.map(({ tenantId, extension }) => byTenant.get(tenantId)?.get(extension) ?? null);
  }

  #isShown({ pin: { themeRange } }: Pick<Version, 'pin'>, themeVersion: string): boolean {
    const key = `${themeVersion} ${themeRange}`;
    const known = this.#inRange.get(key) ?? isInRange(themeVersion, themeRange);
    this.#inRange.set(key, known);
    return known;
  }
}
