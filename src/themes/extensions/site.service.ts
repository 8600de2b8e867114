import { createHash } from 'node:crypto';
import type { Egress } from '#src/infra/egress/egress.ts';
import { EgressError } from '#src/infra/egress/errors.ts';
import type { EgressResponse } from '#src/infra/egress/request.ts';
import { ValidationError } from '#src/infra/errors.ts';
import { isStorable, unstorable } from '#src/infra/json.ts';
import { utf8Text } from '#src/infra/text/utf8.ts';
import { checkManifest, type Fault, formatFault } from '#src/themes/manifest/manifest.rules.ts';
import type { Integrity, Manifest } from '#src/themes/manifest/manifest.ts';
import { repeatedKeys } from '#src/themes/manifest/repeated-keys.ts';
import { findElements } from './elements.rules.ts';

/** The content of a running extension's site, checked. */
export interface Site {
  /** Without its integrity map. */
  manifest: Omit<Manifest, 'integrity'>;
  integrity: Integrity;
  /** Fetches the declared assets within the rest of the time. */
  assets: () => Promise<SiteAsset[]>;
}

export interface SiteAsset {
  path: string;
  contentType: string;
  content: Buffer;
  integrity: string;
  elements: string[];
}

/** The time limit for the manifest and its assets together. */
const inAllMs = 10_000;
const maxManifestBytes = 256 * 1024;
export const maxAssetBytes = 2 * 1024 * 1024;

/**
 * Reads the manifest of the extension that runs at `root`. ValidationError at `url` if the site does not respond as it should, at
 * `manifest` if the response cannot be parsed, and at `manifest.<path>` for each fault in it.
 */
export async function readSite(egress: Egress, root: string): Promise<Site> {
  const until = performance.now() + inAllMs;
  const { body, headers } = await fetchFile(egress, `${root}/theme-extensions.json`, until, maxManifestBytes);
  const { document, repeated } = parseManifest(body, String(headers['content-type'] ?? ''));
  if (repeated.length > 0) throw faultsError(repeated);
  const { manifest: served, faults } = checkManifest(document, { integrity: 'required' });
  if (!served) throw faultsError(faults);
  if (!isStorable(served)) throw new ValidationError({ manifest: [unstorable] });
  const { integrity = {}, ...manifest } = served;
  return {
    manifest,
    integrity,
    assets: () => Promise.all(Object.values(manifest.assets ?? {}).map((path) => readAsset(path as string))),
  };

  async function readAsset(path: string): Promise<SiteAsset> {
    const { body: content } = await fetchFile(egress, root + path, until, maxAssetBytes);
    const expected = integrity[path] as string;
    const found = computeIntegrity(content);
    if (found !== expected) {
      throw faultsError([
        {
          at: ['integrity', path],
          message: `is ${expected}, but the site serves a file with ${found}; build it again`,
        },
      ]);
    }
    if (path.endsWith('.css'))
      return { path, contentType: 'text/css; charset=utf-8', content, integrity: found, elements: [] };
    const elements = findElements(content.toString('utf8'));
    const prefix = `${manifest.vendor}-`;
    const foreign = elements.find((name) => !name.startsWith(prefix));
    if (foreign !== undefined) {
      const message = `defines the custom element ${foreign}; the names of an extension's elements begin with ${prefix}`;
      throw faultsError([{ at: ['assets', 'javascript'], message }]);
    }
    return { path, contentType: 'text/javascript; charset=utf-8', content, integrity: found, elements };
  }
}

/** The subresource integrity of a file. */
export const computeIntegrity = (content: Uint8Array): string =>
  `sha384-${createHash('sha384').update(content).digest('base64')}`;

/** A file of the site, by its complete URL: no redirects, no private addresses, only status 200. */
async function fetchFile(egress: Egress, url: string, until: number, maxBytes: number): Promise<EgressResponse> {
  const path = new URL(url).pathname;
  const refuse = (message: string) => new ValidationError({ url: [`${path}: ${message}`] });
  const timeoutMs = Math.max(1, Math.ceil(until - performance.now()));
  const response = await egress.request({ url, timeoutMs, maxBytes, secure: true }).catch((error: unknown) => {
    throw error instanceof EgressError ? refuse(error.message) : error;
  });
  if (response.status !== 200)
    throw refuse(`The site must answer 200 without a redirect; it answered ${response.status}.`);
  return response;
}

function parseManifest(body: Buffer, contentType: string): { document: unknown; repeated: Fault[] } {
  try {
    const text = utf8Text(body, contentType);
    return { document: JSON.parse(text), repeated: repeatedKeys(text) };
  } catch {
    throw new ValidationError({ manifest: ['/theme-extensions.json must be JSON in UTF-8.'] });
  }
}

/** One field for each place, `manifest.blocks.0.id`; each message names the place as a JSON pointer. */
function faultsError(faults: readonly Fault[]): ValidationError {
  const fields = Map.groupBy(faults, ({ at }) => ['manifest', ...at].join('.'));
  return new ValidationError(Object.fromEntries([...fields].map(([field, found]) => [field, found.map(formatFault)])));
}
