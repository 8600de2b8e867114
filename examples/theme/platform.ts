import type { Page } from './pages.ts';

/** The blocks of a page, in their order, and what the page loads for them. */
export interface RenderedBlocks {
  /** `html` is sanitised. It is empty if a block failed, and `reason` says why. */
  data: readonly { name: string; html: string; reason: string | null }[];
  stylesheets: readonly { href: string; integrity: string }[];
  scripts: readonly { src: string; integrity: string }[];
}

export interface Platform {
  /** `editor` is true in the page editor: it loads nothing of extensions. */
  renderBlocks(page: Page, options: { editor: boolean }): Promise<RenderedBlocks>;
  /** An asset of an extension, by its path from `/_ext/` on. */
  asset(path: string): Promise<Response>;
}

/** The platform takes at most 2 s to render. */
const blocksMs = 3_000;
const assetMs = 10_000;

/** Calls a Causeway at `url`, with an API key of the tenant that has the scope `theme:read`. */
export function createPlatform({ url, tenant, key }: { url: string; tenant: string; key: string }): Platform {
  return {
    async renderBlocks({ pageType, blocks }, { editor }) {
      const response = await fetch(new URL('/theme/blocks', url), {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-platform-api-key': key,
          'x-platform-tenant': tenant,
        },
        body: JSON.stringify({ page_type: pageType, blocks, editor }),
        redirect: 'error',
        signal: AbortSignal.timeout(blocksMs),
      });
      if (!response.ok) throw new Error(`POST /theme/blocks answered ${response.status}: ${await response.text()}`);
      return (await response.json()) as RenderedBlocks;
    },
    // Assets are public, so the key is not sent. Uncompressed, so that their Content-Length is also right for the copy.
    asset: (path) =>
      fetch(new URL(path, url), {
        headers: { 'accept-encoding': 'identity' },
        redirect: 'error',
        signal: AbortSignal.timeout(assetMs),
      }),
  };
}
