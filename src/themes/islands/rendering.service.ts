import type { Deps } from '#src/infra/deps.ts';
import { NotFoundError, ValidationError } from '#src/infra/errors.ts';
import type { Catalogue, OnHidden } from '#src/themes/blocks/blocks.reads.ts';
import type { PinnedBlock } from '#src/themes/blocks/pinned-blocks.rules.ts';
import type { Breakers } from './breakers.service.ts';
import { type Empty, type EmptyReason, type Rendering, renderLimitMs } from './islands.rules.ts';
import type { Islands } from './islands.service.ts';
import { fitProps } from './props.rules.ts';

/** The dependencies of rendering. */
export interface RenderingDeps extends Pick<Deps, 'log'> {
  catalogue: Catalogue;
  islands: Islands;
  breakers: Breakers;
}

/** A rendered block of a page. Paths are on our own origin, null if there is nothing to load. */
export interface RenderedBlock {
  name: string;
  /** In UTF-8; empty if the block is. */
  html: Buffer;
  status: Rendering['status'];
  reason: EmptyReason | null;
  stylesheet: Asset | null;
  script: Asset | null;
}

export interface Asset {
  path: string;
  /** Its subresource integrity. */
  integrity: string | null;
}

/** A block that was requested by itself. */
export interface CacheableBlock extends RenderedBlock {
  /** Absent if the block is empty. */
  cached?: {
    /** True if the tenant still pins the same version. */
    isFresh: () => Promise<boolean>;
    /** Its HTML while it is fresh; null afterwards. */
    content: () => Buffer | null;
  };
}

/** A block as placed on a page; its props are an object. */
export interface PlacedBlock {
  name: string;
  props: Readonly<Record<string, unknown>>;
}

/** The page that shows the blocks. */
export interface ShowingPage {
  pageType: string;
  /** True in the page editor, which loads no assets of extensions: blocks then have none. */
  isEdited: boolean;
}

/**
 * Renders one block for a page of a type. NotFoundError if it is not in the tenant's catalogue; ValidationError at `pageType` if it may not
 * be placed on such a page, and at `props.<key>`. A failure of the extension leaves it empty.
 */
export async function renderBlock(
  deps: RenderingDeps,
  tenantId: string,
  { name, props, pageType, isEdited }: PlacedBlock & ShowingPage,
): Promise<CacheableBlock> {
  const onHidden: OnHidden = (_name, why) => logEmpty(deps, tenantId, name, { ...empty('not_in_catalogue'), why });
  const block = (await deps.catalogue.find(tenantId, [name], onHidden)).get(name);
  if (!block) throw new NotFoundError();
  if (!block.block.enabledOn.includes(pageType)) {
    const types = block.block.enabledOn.join(', ');
    throw new ValidationError({ pageType: [`The block may be placed on these types of pages: ${types}.`] });
  }
  const fitted = fitProps(block.block, props);
  const rendering = await deps.islands.render(block, fitted, performance.now() + renderLimitMs);
  const answer = rendered(deps, tenantId, { name, block, rendering, isEdited });
  if (answer.status === 'empty') return answer;
  const isFresh = () => deps.catalogue.isStill(tenantId, block);
  return { ...answer, cached: { isFresh, content: deps.islands.findKept(block, fitted) } };
}

/**
 * Renders the blocks of a page concurrently, in their order and within one time limit. No block fails the page: a block that is no longer
 * in the catalogue, may not be placed there, or has props that do not fit the pinned version is empty as well.
 */
export async function renderBlocks(
  deps: RenderingDeps,
  tenantId: string,
  { pageType, isEdited, blocks }: ShowingPage & { blocks: readonly PlacedBlock[] },
): Promise<RenderedBlock[]> {
  const until = performance.now() + renderLimitMs;
  const hidden = new Map<string, string>();
  const names = new Set(blocks.map(({ name }) => name));
  const found = await deps.catalogue.find(tenantId, [...names], (name, why) => hidden.set(name, why));
  return Promise.all(
    blocks.map(async ({ name, props }) => {
      const block = found.get(name);
      if (!block) {
        const why = hidden.get(name);
        return rendered(deps, tenantId, { name, rendering: { ...empty('not_in_catalogue'), why }, isEdited });
      }
      const rendering = await renderPlaced(deps, block, { props, pageType, until });
      return rendered(deps, tenantId, { name, block, rendering, isEdited });
    }),
  );
}

async function renderPlaced(
  { islands }: RenderingDeps,
  block: PinnedBlock,
  { props, pageType, until }: Pick<PlacedBlock, 'props'> & { pageType: string; until: number },
): Promise<Rendering> {
  if (!block.block.enabledOn.includes(pageType)) return empty('not_enabled');
  try {
    return await islands.render(block, fitProps(block.block, props), until);
  } catch (error) {
    if (error instanceof ValidationError) return empty('invalid_props');
    throw error;
  }
}

const noHtml = Buffer.alloc(0);

const empty = (reason: EmptyReason): Empty => ({ status: 'empty', reason });

function logEmpty(
  { log }: Pick<RenderingDeps, 'log'>,
  tenantId: string,
  block: string,
  { reason, why, err }: Empty,
): void {
  log.warn({ tenantId, block, reason, why, err }, 'A block is left empty.');
}

interface Rendered extends Pick<ShowingPage, 'isEdited'> {
  name: string;
  /** Absent if it is not in the catalogue. */
  block?: PinnedBlock;
  rendering: Rendering;
}

function rendered(
  deps: RenderingDeps,
  tenantId: string,
  { name, block, rendering, isEdited }: Rendered,
): RenderedBlock {
  if (rendering.status === 'empty' || !block) {
    const nothing = rendering.status === 'empty' ? rendering : empty('not_in_catalogue');
    logEmpty(deps, tenantId, name, nothing);
    if (block && deps.islands.isBroken(block.pin.extensionId)) deps.breakers.note(tenantId, block.pin.extensionId);
    return { name, html: noHtml, status: 'empty', reason: nothing.reason, stylesheet: null, script: null };
  }
  const { stylesheet, script, pin } = block;
  const { assets = {} } = pin.manifest;
  const findAsset = (path: string | null, declared: string | undefined): Asset | null =>
    path === null || isEdited ? null : { path, integrity: (declared !== undefined && pin.integrity[declared]) || null };
  return {
    name,
    html: rendering.html,
    status: 'rendered',
    reason: null,
    stylesheet: findAsset(stylesheet, assets.stylesheet),
    script: findAsset(script, assets.javascript),
  };
}
