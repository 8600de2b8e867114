import type { Extension, ExtensionAsset } from '#prisma/client.ts';
import type { Deps } from '#src/infra/deps.ts';
import { ConflictError } from '#src/infra/errors.ts';
import { readStored } from '#src/themes/assets/assets.service.ts';
import { blockName } from '#src/themes/blocks/blocks.rules.ts';
import { type Pin, pinnedBlocks } from '#src/themes/blocks/pinned-blocks.rules.ts';
import { type EmptyReason, type Rendering, renderLimitMs } from '#src/themes/islands/islands.rules.ts';
import type { Islands } from '#src/themes/islands/islands.service.ts';
import { fitProps } from '#src/themes/islands/props.rules.ts';
import type { Integrity, Manifest } from '#src/themes/manifest/manifest.ts';

/** A block of a version as it would look, whether or not the version is installed anywhere. */
export interface BlockPreview {
  /** Sanitised; empty if the block is. */
  html: string;
  status: Rendering['status'];
  reason: EmptyReason | null;
  /** The details of `reason`, for the author of the extension. */
  why: string | null;
  /** The text of the stylesheet that pages with the block load. */
  stylesheet: string | null;
}

interface PreviewDeps extends Pick<Deps, 'storage' | 'log'> {
  islands: Islands;
}

/**
 * Renders a block of a registered version. Null if the version has no such block; ConflictError if the version is blocked; ValidationError
 * at `props.<key>`. A failure of the extension leaves it empty.
 */
export async function previewBlock(
  deps: PreviewDeps,
  version: Extension & { assets: readonly ExtensionAsset[] },
  { block: id, props }: { block: string; props: Readonly<Record<string, unknown>> },
): Promise<BlockPreview | null> {
  const { vendor, name } = version;
  const block = pinnedBlocks(toPin(version)).get(blockName({ vendor, name, id }));
  if (!block) return null;
  if (version.blocked) throw new ConflictError(`The version was blocked: ${version.reason}`);
  const fitted = fitProps(block.block, props);
  const [rendering, stylesheet] = await Promise.all([
    deps.islands.render(block, fitted, performance.now() + renderLimitMs),
    readStylesheet(deps, version),
  ]);
  if (rendering.status === 'empty') {
    const { reason, why = null } = rendering;
    return { html: '', status: 'empty', reason, why, stylesheet: null };
  }
  return { html: rendering.html.toString('utf8'), status: 'rendered', reason: null, why: null, stylesheet };
}

const toPin = ({ id, vendor, name, version, url, manifest, integrity, targetVersion: themeRange }: Extension): Pin => ({
  extensionId: Number(id),
  vendor,
  name,
  version,
  url,
  manifest: manifest as unknown as Manifest,
  integrity: integrity as Integrity,
  themeRange,
});

async function readStylesheet(
  deps: PreviewDeps,
  { vendor, name, version, manifest, assets }: Extension & { assets: readonly ExtensionAsset[] },
): Promise<string | null> {
  const declared = (manifest as unknown as Manifest).assets?.stylesheet;
  const stylesheet = assets.find(({ path }) => path === declared);
  if (!stylesheet) return null;
  const { content } = await readStored(deps, stylesheet, { vendor, name, version, path: stylesheet.path });
  return content.toString('utf8');
}
