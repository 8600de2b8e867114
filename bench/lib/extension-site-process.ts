/**
 * The site of extensions, each below a path of its own: `/<name>` has one block, `ext__acme__<name>__stars`, without assets. Its island is
 * a list of reviews; that of the extension `hanging` never answers. Settings (environment): BYTES of an island, DELAY_MS before it is sent.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const bytes = Number(process.env['BYTES'] ?? 4_096);
const delayMs = Number(process.env['DELAY_MS'] ?? 0);

const buildManifest = (name: string): object => ({
  kind: 'theme-extension',
  vendor: 'acme',
  name,
  version: '1.0.0',
  title: 'Reviews',
  type: 'private',
  target: { theme: 'acme/starter', version: '^2.1.0' },
  blocks: [
    {
      id: 'stars',
      island: 'Stars',
      title: 'Stars',
      enabledOn: ['product'],
      settings: { heading: { type: 'text', label: 'Heading', default: 'Reviews' } },
    },
  ],
  integrity: {},
});

const review = (at: number): string =>
  `<li class="review" id="acme-r${at}"><h3>Great &amp; good</h3><p style="color: var(--ink)">Bought it <b>twice</b>, see
  <a href="https://example.org/r/${at}?a=1">here</a>.</p><img src="/star.png" alt="star" width="16" height="16"></li>`;
let reviews = '';
for (let at = 0; reviews.length < bytes; at += 1) reviews += review(at);

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://site');
  const [, name = '', ...rest] = pathname.split('/');
  if (rest.join('/') === 'theme-extensions.json') {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(buildManifest(name)));
    return;
  }
  if (name === 'hanging') return;
  const { heading } = JSON.parse(searchParams.get('props') ?? '{}') as { heading?: string };
  setTimeout(() => {
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'x-extension-version': '1.0.0' })
      .end(`<h2>${heading}</h2><ul>${reviews}</ul>`);
  }, delayMs);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ ready: true, port: (server.address() as AddressInfo).port })}\n`);
});
process.once('SIGTERM', () => process.exit(0));
