import { type Html, html, raw } from '@causeway/extension-kit/html';
import type { AssetFile } from '@causeway/extension-kit/integrity';
import { fitProps } from '#src/themes/islands/props.rules.ts';
import { requestSignature } from '#src/themes/islands/request-signing.rules.ts';
import type { Block, Manifest } from '#src/themes/manifest/manifest.ts';
import { sanitiseFragment } from '#src/themes/sanitiser/sanitise-fragment.ts';

const timeoutMs = 2_000;

export interface Preview {
  manifest: Manifest;
  assets: readonly AssetFile[];
  block: Block;
  /** JSON of the block's props. */
  props: string;
  /** The URL of the extension, the secret that signs its requests, and the origin of the page. */
  extension: { url: string; secret: string; origin: string };
}

/** A page with one block as a theme would show it: fetched with a signature, sanitised, with the extension's assets. */
export async function previewBlock({ manifest, assets, block, props, extension }: Preview): Promise<Html> {
  const given = JSON.parse(props) as Record<string, unknown>;
  const query = new URLSearchParams({ props: JSON.stringify(fitProps(block, given)) });
  const path = `/theme-extensions/islands/${block.island}?${query}`;
  const response = await fetch(extension.url + path, {
    headers: requestSignature(extension.secret, path),
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await response.text();
  const { vendor } = manifest;
  const fragment = response.ok
    ? raw(sanitiseFragment(text, { vendor, origin: extension.origin }))
    : html`<p role="alert">The island ${block.island} answered ${response.status}: ${text.slice(0, 1_000)}</p>`;
  return html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <title>${block.title}</title>
      ${assets.map((asset) => assetTag(asset, block))}
      <body>
        ${fragment}
      </body>
    </html>`;
}

function assetTag({ path, integrity }: AssetFile, { javascript }: Block): Html | null {
  if (path.endsWith('.css')) return html`<link rel="stylesheet" href="${path}" integrity="${integrity}" />`;
  return javascript === true ? html`<script type="module" src="${path}" integrity="${integrity}"></script>` : null;
}
