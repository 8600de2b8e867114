import type { Database } from '#src/infra/postgres/database.ts';
import { isInRange } from '#src/themes/installations/installations.rules.ts';
import type { Block, Integrity, Manifest } from '#src/themes/manifest/manifest.ts';
import { assetPath, blockName, readBlockName } from './blocks.rules.ts';

/** A version that a tenant has pinned and that its pages show at present. */
export interface Pin {
  installationId: number;
  extensionId: number;
  vendor: string;
  name: string;
  version: string;
  /** The root of the site that renders its blocks, without a slash at the end. */
  url: string;
  manifest: Manifest;
  /** SHA-384 by path of the asset. */
  integrity: Integrity;
  /** `<vendor>/<name>` of the theme that it extends, and the version that the tenant has of it. */
  theme: string;
  themeVersion: string;
}

/** A block of the tenant's catalogue. */
export interface PinnedBlock {
  /** `ext__<vendor>__<name>__<id>` */
  name: string;
  pin: Pin;
  block: Block;
  /** Paths on our own origin; `script` only where the block asks for it. */
  stylesheet: string | null;
  script: string | null;
}

const pins = `
  SELECT i.id AS "installationId", e.id AS "extensionId", e.vendor, e.name, e.version, e.url, e.manifest, e.integrity,
    e.target_theme AS theme, t.version AS "themeVersion", e.target_version AS "themeRange"
  FROM extension_installations i
  JOIN extensions e ON e.id = i.extension_id
  JOIN theme_installations ti ON ti.tenant_id = i.tenant_id AND ti.key = e.target_theme
  JOIN themes t ON t.id = ti.theme_id
  WHERE i.tenant_id = $1 AND i.status = 'installed' AND NOT e.blocked`;

type Row = Pin & { themeRange: string };
type Reader = Pick<Database, 'tenantQuery'>;

/** The blocks that pages of a theme may show, by name; those for a type of page where one is given. */
export async function listBlocks(
  database: Reader,
  tenantId: string,
  { theme, pageType }: { theme: string; pageType?: string | null },
): Promise<PinnedBlock[]> {
  const rows = await database.tenantQuery<Row>(tenantId, {
    name: 'list-blocks',
    text: `${pins} AND e.target_theme = $2`,
    values: [tenantId, theme],
  });
  const blocks = rows.filter(isShown).flatMap(blocksOf);
  const enabled = pageType == null ? blocks : blocks.filter(({ block }) => block.enabledOn.includes(pageType));
  return enabled.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** The block of a name; null where the tenant's catalogue has none: not installed, disabled, blocked, its theme out of range. */
export const findBlock = async (database: Reader, tenantId: string, name: string): Promise<PinnedBlock | null> =>
  (await findBlocks(database, tenantId, [name])).get(name) ?? null;

/** The same of many names; those that the catalogue does not have are left out. */
export async function findBlocks(
  database: Reader,
  tenantId: string,
  names: readonly string[],
): Promise<Map<string, PinnedBlock>> {
  // Postgres refuses text with NUL, and no name has one.
  const asked = names.flatMap((name) => (name.includes('\0') ? [] : (readBlockName(name) ?? [])));
  if (asked.length === 0) return new Map();
  const rows = await database.tenantQuery<Row>(tenantId, {
    name: 'find-blocks',
    text: `${pins} AND (i.vendor, i.name) IN (SELECT * FROM unnest($2::text[], $3::text[]))`,
    values: [tenantId, asked.map(({ vendor }) => vendor), asked.map(({ name }) => name)],
  });
  const wanted = new Set(names);
  const blocks = rows.filter(isShown).flatMap(blocksOf);
  return new Map(blocks.filter(({ name }) => wanted.has(name)).map((block) => [block.name, block]));
}

const isShown = ({ themeVersion, themeRange }: Row): boolean => isInRange(themeVersion, themeRange);

const blocksOf = ({ themeRange: _range, ...pin }: Row): PinnedBlock[] => {
  const { blocks, assets = {} } = pin.manifest;
  const pathOf = (path: string | undefined) => (path === undefined ? null : assetPath(pin, path));
  return blocks.map((block) => ({
    name: blockName({ vendor: pin.vendor, name: pin.name, id: block.id }),
    pin,
    block,
    stylesheet: pathOf(assets.stylesheet),
    script: block.javascript === true ? pathOf(assets.javascript) : null,
  }));
};
