import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';

export interface PageTraffic {
  /** Addresses that were asked of the network; what the cache had is not among them. */
  urls: () => string[];
  /** Bytes of the scripts and styles among them, in gzip. */
  gzipBytes: () => Promise<number>;
  /** Forgets what was asked so far. */
  reset: () => void;
}

/** Watches what a page asks for from now on. */
export async function watchTraffic(page: Page): Promise<PageTraffic> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Network.enable');
  let asked = new Map<string, string>();
  // Each answer of a chain of redirects has the id of the first.
  cdp.on('Network.requestWillBeSent', ({ requestId, request, redirectResponse }) => {
    if (/^(?:data|blob):/.test(request.url)) return;
    asked.set(redirectResponse === undefined ? requestId : `${requestId} ${asked.size}`, request.url);
  });
  cdp.on('Network.requestServedFromCache', ({ requestId }) => asked.delete(requestId));
  cdp.on('Network.responseReceived', ({ requestId, response }) => {
    if (response.fromDiskCache) asked.delete(requestId);
  });
  cdp.on('Network.webSocketCreated', ({ requestId, url }) => asked.set(requestId, url));
  return {
    urls: () => [...asked.values()],
    async gzipBytes() {
      const files = [...asked.values()].filter((url) => /\.(?:js|css)$/.test(url));
      const sizes = await Promise.all(files.map(async (url) => gzipSync(await (await fetch(url)).text()).length));
      return sizes.reduce((sum, size) => sum + size, 0);
    },
    reset: () => {
      asked = new Map();
    },
  };
}
