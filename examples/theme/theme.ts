import { readFile } from 'node:fs/promises';
import type { RequestListener, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { type Page, pages } from './pages.ts';
import type { Platform, RenderedBlocks } from './platform.ts';
import { pageHtml } from './template.ts';

/**
 * The permissions of pages: files of this origin, and nothing inline but `style` attributes, which blocks may have. The scripts of
 * extensions are files of this origin too, because the theme serves `/_ext/` itself.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "style-src-attr 'unsafe-inline'",
  "img-src 'self'",
  "media-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The headers of an asset that the browser needs unchanged. */
const assetHeaders = [
  'content-type',
  'content-length',
  'cache-control',
  'x-content-type-options',
  'cross-origin-resource-policy',
  'content-security-policy',
];

const noBlocks: RenderedBlocks = { data: [], stylesheets: [], scripts: [] };
const stylesheet = await readFile(new URL('assets/theme.css', import.meta.url));

/** Serves the pages; `log` receives a line for each part that is missing. */
export function createTheme(platform: Platform, log: (line: string) => void): RequestListener {
  /** A page is shown without its blocks while the platform is away. */
  async function renderBlocks(page: Page, options: { editor: boolean }): Promise<RenderedBlocks> {
    try {
      const blocks = await platform.renderBlocks(page, options);
      for (const { name, reason } of blocks.data) if (reason !== null) log(`The block ${name} is empty: ${reason}.`);
      return blocks;
    } catch (error) {
      log(`"${page.title}" has no blocks: ${String(error)}.`);
      return noBlocks;
    }
  }

  async function sendAsset(response: ServerResponse, path: string): Promise<void> {
    const asset = await platform.asset(path).catch((error: unknown) => {
      log(`${path} cannot be had: ${String(error)}.`);
    });
    if (!asset) return send(response, 502, 'text/plain', 'The file cannot be had at the moment.');
    for (const name of assetHeaders) {
      const value = asset.headers.get(name);
      if (value !== null) response.setHeader(name, value);
    }
    response.writeHead(asset.status);
    if (asset.body === null) return void response.end();
    await pipeline(Readable.fromWeb(asset.body as ReadableStream), response);
  }

  async function answer(response: ServerResponse, method: string | undefined, url: string): Promise<void> {
    if (method !== 'GET' && method !== 'HEAD')
      return send(response, 405, 'text/plain', 'Only GET is answered here.', { allow: 'GET, HEAD' });
    // Parsing resolves `..`, so that a path below /_ext/ stays there.
    const { pathname = '', searchParams } = URL.parse(url, 'http://theme') ?? {};
    if (pathname.startsWith('/_ext/')) return sendAsset(response, pathname);
    if (pathname === '/theme.css') return send(response, 200, 'text/css', stylesheet);
    const page = pages.get(pathname);
    if (!page) return send(response, 404, 'text/plain', 'There is no such page.');
    const blocks = await renderBlocks(page, { editor: searchParams?.has('editor') === true });
    send(response, 200, 'text/html', pageHtml(page, blocks), { 'content-security-policy': policy });
  }

  return ({ method, url = '/' }, response) => {
    answer(response, method, url).catch((error: unknown) => {
      log(`${url} failed: ${String(error)}.`);
      // A started response cannot become another one; closing it keeps the browser from taking it for complete.
      if (response.headersSent) response.destroy();
      else send(response, 500, 'text/plain', 'The page failed.');
    });
  };
}

function send(
  response: ServerResponse,
  status: number,
  type: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    'content-type': `${type}; charset=utf-8`,
    'content-length': Buffer.byteLength(body),
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache',
    ...headers,
  });
  response.end(body);
}
