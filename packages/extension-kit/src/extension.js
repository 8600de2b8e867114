import { markupOf } from './html.js';
import { readAssets } from './integrity.js';
import { findFault } from './verify.js';

const islandPath = '/theme-extensions/islands/';
const json = 'application/json; charset=utf-8';

/** Reads the assets and returns the handlers of the extension. */
export async function createExtension({ root, manifest, islands, secret, onError = report }) {
  for (const { island } of manifest.blocks) {
    if (!Object.hasOwn(islands, island)) throw new Error(`A block names the island ${island}, but islands has none.`);
  }
  const secrets = listSecrets(secret);
  const assets = new Map((await readAssets(root, manifest)).map((asset) => [asset.path, asset]));
  const integrity = Object.fromEntries([...assets.values()].map((asset) => [asset.path, asset.integrity]));
  const served = JSON.stringify({ ...manifest, integrity });

  async function answer({ method, url, headers }) {
    if (method !== 'GET' && method !== 'HEAD')
      return refusal(405, 'Only GET is answered here.', { allow: 'GET, HEAD' });
    // `//` is not a path, but strangers request it.
    if (!URL.canParse(url, 'http://extension')) return nothing();
    const { pathname, searchParams } = new URL(url, 'http://extension');
    if (pathname === '/theme-extensions.json') return reply(200, json, served);
    const asset = assets.get(pathname);
    if (asset) return reply(200, asset.type, asset.content);
    const island = pathname.startsWith(islandPath) ? pathname.slice(islandPath.length) : '';
    if (!Object.hasOwn(islands, island)) return nothing();
    const fault = findFault({ url, headers, secrets });
    if (fault) return refusal(401, fault);
    const props = parseProps(searchParams.get('props'));
    if (props === null) return refusal(400, 'The query "props" must be a JSON object.');
    return reply(200, 'text/html; charset=utf-8', markupOf(await islands[island](props)));
  }

  const respond = (request) =>
    answer(request).catch((error) => {
      onError(error);
      return refusal(500, 'The island failed.');
    });

  const reply = (status, type, body, headers = {}) => ({
    status,
    headers: {
      'content-type': type,
      'x-extension-version': manifest.version,
      'x-content-type-options': 'nosniff',
      ...headers,
    },
    body,
  });
  const refusal = (status, message, headers) => reply(status, json, JSON.stringify({ message }), headers);
  const nothing = () => refusal(404, 'There is nothing at this address.');

  return {
    integrity,
    handle(request, response) {
      const { method, url, headers } = request;
      void respond({ method, url, headers }).then(({ status, headers: sent, body }) => {
        response.writeHead(status, { ...sent, 'content-length': Buffer.byteLength(body) });
        response.end(method === 'HEAD' ? undefined : body);
      });
    },
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      const { status, headers: sent, body } = await respond({ method, url: pathname + search, headers });
      return new Response(method === 'HEAD' ? null : body, { status, headers: sent });
    },
  };
}

/** None, until the extension is registered for the first time. */
const listSecrets = (secret) => [secret ?? []].flat().filter((one) => one !== '');

// oxlint-disable-next-line no-console -- the log of a program that has no other
const report = (error) => console.error(error);

function parseProps(text) {
  if (text === null) return {};
  try {
    const props = JSON.parse(text);
    return typeof props === 'object' && props !== null && !Array.isArray(props) ? props : null;
  } catch {
    return null;
  }
}
