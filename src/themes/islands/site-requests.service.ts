import { LRUCache } from 'lru-cache';
import type { Deps } from '#src/infra/deps.ts';
import { EgressError } from '#src/infra/egress/errors.ts';
import type { EgressResponse } from '#src/infra/egress/request.ts';
import { utf8Text } from '#src/infra/text/utf8.ts';
import type { Pin } from '#src/themes/blocks/pinned-blocks.rules.ts';
import { type EmptyReason, maxIslandBytes } from './islands.rules.ts';
import type { Props } from './props.rules.ts';
import { extensionSecrets, requestSignature } from './request-signing.rules.ts';

/** The unsanitised response of an extension's site. */
export interface Island {
  html: string;
  /** The version that the site reports. */
  version: string;
}

/** The site did not respond with an island. */
export class IslandError extends Error {
  readonly reason: EmptyReason;

  constructor(reason: EmptyReason, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'IslandError';
    this.reason = reason;
  }
}

type Site = Pick<Pin, 'url' | 'vendor' | 'name'>;

/** Sends requests to the sites of extensions. */
export interface SiteRequests {
  /** Fetches an island within the time. Throws an IslandError. */
  island(site: Site, island: string, props: Props, until: number): Promise<Island>;
}

/** If a site does not send its version with an island, its manifest is fetched, and cached for this many milliseconds. */
const manifestMs = 5_000;
const maxManifestBytes = 256 * 1024;

export function createSiteRequests(deps: Pick<Deps, 'egress' | 'urlSigner'>): SiteRequests {
  const versions = new LRUCache<string, string>({ max: 1_000, ttl: manifestMs });
  const readSecret = extensionSecrets(deps);

  async function get(site: Site, url: URL, until: number, maxBytes: number): Promise<EgressResponse> {
    const timeoutMs = Math.ceil(until - performance.now());
    if (timeoutMs <= 0) throw new IslandError('timeout', 'The time for the page was over.');
    const headers = requestSignature(readSecret(site), url.pathname + url.search);
    const response = await deps.egress
      // The length of a URL is limited; that of a separate query is not.
      .request({
        url: url.origin + url.pathname,
        query: Object.fromEntries(url.searchParams),
        headers,
        timeoutMs,
        maxBytes,
        secure: true,
      })
      .catch((error: unknown) => {
        throw error instanceof EgressError ? new IslandError(emptyReason(error), error.message, error) : error;
      });
    const { status } = response;
    if (status >= 300 && status < 400) throw new IslandError('redirect', `It answered ${status}.`);
    if (status !== 200) throw new IslandError('bad_status', `It answered ${status}.`);
    return response;
  }

  async function manifestVersion(site: Site, until: number): Promise<string> {
    const known = versions.get(site.url);
    if (known !== undefined) return known;
    const asked = performance.now();
    const { body } = await get(site, new URL(`${site.url}/theme-extensions.json`), until, maxManifestBytes);
    const version = versionIn(body);
    // Its age counts from the request.
    versions.set(site.url, version, { ttl: Math.max(1, manifestMs - Math.ceil(performance.now() - asked)) });
    return version;
  }

  return {
    async island(site, island, props, until) {
      const url = new URL(`${site.url}/theme-extensions/islands/${island}`);
      url.searchParams.set('props', JSON.stringify(props));
      const { headers, body } = await get(site, url, until, maxIslandBytes);
      const html = readHtml(body, String(headers['content-type'] ?? ''));
      const version = String(headers['x-extension-version'] ?? '').trim();
      return { html, version: version === '' ? await manifestVersion(site, until) : version };
    },
  };
}

const emptyReason = ({ code }: EgressError): EmptyReason =>
  code === 'timeout' || code === 'too_large' ? code : 'unreachable';

function readHtml(body: Buffer, contentType: string): string {
  if (!/^\s*text\/html\s*(?:;|$)/i.test(contentType)) {
    throw new IslandError('not_html', `It is ${contentType.slice(0, 100) || 'of no type'}, not text/html.`);
  }
  try {
    return utf8Text(body, contentType);
  } catch (error) {
    throw new IslandError('not_html', 'It is not in UTF-8.', error);
  }
}

/** A manifest without a version does not match the pinned one. */
function versionIn(manifest: Buffer): string {
  try {
    const { version } = JSON.parse(manifest.toString('utf8')) as { version?: unknown };
    return typeof version === 'string' ? version : '';
  } catch {
    return '';
  }
}
