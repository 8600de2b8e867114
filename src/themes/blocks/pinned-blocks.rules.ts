import type { Block, Integrity, Manifest } from '#src/themes/manifest/manifest.ts';
import { assetPath, blockName } from './blocks.rules.ts';

/** A registered version that a tenant has pinned. It never changes. */
export interface Pin {
  extensionId: number;
  vendor: string;
  name: string;
  version: string;
  /** The root of the site that renders its blocks, without a trailing slash. */
  url: string;
  manifest: Manifest;
  /** SHA-384 by path of the asset. */
  integrity: Integrity;
  /** A semver range of versions of the theme that it extends. */
  themeRange: string;
}

/** A block of the tenant's catalogue. */
export interface PinnedBlock {
  /** `ext__<vendor>__<name>__<id>` */
  name: string;
  pin: Pin;
  block: Block;
  /** Paths on our own origin; `script` only if the block uses it. */
  stylesheet: string | null;
  script: string | null;
}

/** The blocks of a version, by name. */
export function pinnedBlocks(pin: Pin): Map<string, PinnedBlock> {
  const { blocks, assets = {} } = pin.manifest;
  const findPath = (path: string | undefined) => (path === undefined ? null : assetPath(pin, path));
  return new Map(
    blocks.map((block) => {
      const name = blockName({ vendor: pin.vendor, name: pin.name, id: block.id });
      const script = block.javascript === true ? findPath(assets.javascript) : null;
      return [name, { name, pin, block, stylesheet: findPath(assets.stylesheet), script }];
    }),
  );
}
