import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Manifest } from '#src/themes/manifest/manifest.ts';
import { type LoopbackServer, serve } from '#test/infra/egress/loopback-server.ts';
import type { TestApp } from '#test/setup/app.ts';

/** The content that a running extension serves; a test may change it. */
export interface ExtensionSite extends LoopbackServer {
  manifest: Manifest;
  /** By path. */
  files: Record<string, string>;
  /** Answers in place of the site for a path without its query, for hostile ones. */
  answers: Record<string, (request: IncomingMessage, response: ServerResponse) => void>;
}

export const sha384 = (text: string): string => `sha384-${createHash('sha384').update(text).digest('base64')}`;

let count = 0;

/** A manifest of a name of its own, with a stylesheet, a module and two blocks. */
export const newManifest = (given: Partial<Manifest> = {}): Manifest => ({
  kind: 'theme-extension',
  vendor: 'acme',
  name: `reviews-${(count += 1)}`,
  version: '1.0.0',
  title: 'Reviews',
  type: 'public',
  target: { theme: 'acme/starter', version: '^2.1.0' },
  blocks: [
    {
      id: 'stars',
      island: 'Stars',
      title: 'Stars',
      description: 'How many stars it has.',
      enabledOn: ['product', 'page'],
      settings: {
        heading: { type: 'text', label: 'Heading', default: 'Reviews', placeholder: 'Reviews' },
        unit: { type: 'radios', label: 'Unit', options: { stars: 'Stars', hearts: 'Hearts' }, default: 'stars' },
        most: { type: 'range', label: 'Most', min: 1, max: 10, step: 1 },
        colour: { type: 'color', label: 'Colour', default: '#fa0' },
      },
      javascript: true,
    },
    { id: 'list', island: 'List', title: 'List', enabledOn: ['page'] },
  ],
  assets: { stylesheet: '/assets/reviews.css', javascript: '/assets/reviews.js' },
  ...given,
});

/** A site that serves an extension, gone with the test; the app may call it. */
export async function serveExtension({ egressAllow }: TestApp, given: Partial<Manifest> = {}): Promise<ExtensionSite> {
  const site = {
    manifest: newManifest(given),
    files: {
      '/assets/reviews.css': '.acme { color: var(--brand) }',
      '/assets/reviews.js': `customElements.define('acme-stars', class extends HTMLElement {})`,
    },
    answers: {},
  } as unknown as ExtensionSite;
  const server = await serve((request, response) => {
    const [path = ''] = (request.url ?? '').split('?', 1);
    const answer = site.answers[path];
    if (answer) return answer(request, response);
    if (path === '/theme-extensions.json') {
      const { integrity = siteIntegrity(site), ...manifest } = site.manifest;
      return response.end(JSON.stringify({ ...manifest, integrity }));
    }
    const file = site.files[path];
    response.writeHead(file === undefined ? 404 : 200).end(file);
  });
  egressAllow.add(`127.0.0.1:${server.port}`);
  return Object.assign(site, server);
}

const siteIntegrity = ({ manifest, files }: ExtensionSite) =>
  Object.fromEntries(Object.values({ ...manifest.assets }).map((path) => [path, sha384(files[path] ?? '')]));
