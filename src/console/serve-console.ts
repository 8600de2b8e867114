import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ConsoleBuild, ConsoleSite } from './console-build.ts';
import { assetPolicy, contentPolicy } from './content-policy.ts';
import { chooseEncoding, EncodedAssets } from './encodings.ts';
import { fileFormat } from './file-formats.ts';
import { assetsPath, renderIndex } from './index-page.ts';
import { changesScriptPath, serveChanges } from './serve-changes.ts';

export interface ConsoleOptions {
  site: ConsoleSite;
  /** Base of the URLs at which browsers reach us; it may have a path, which the proxy removes. */
  publicUrl: string;
  issuer: string;
}

const yearSeconds = 31_536_000;

/** Serves the page of the console at each of its addresses below `/console/`, and its files. */
export function serveConsole(app: FastifyInstance, options: ConsoleOptions): void {
  const base = basePath(options.publicUrl);
  app.get('/console', (_request, reply) => reply.redirect(`${base}console/`));
  app.get('/console/*', (_request, reply) => sendIndex(reply, options, base));
  const { build, onChange } = options.site;
  if (onChange) serveChanges(app, { build, onChange });
  const encoded = new EncodedAssets();
  app.get<{ Params: { '*': string } }>(`/${assetsPath}/*`, (request, reply) => {
    const build = options.site.build();
    const [, id, name = ''] = /^([^/]*)\/(.*)$/.exec(request.params['*']) ?? [];
    // The scripts of a build import each other, so that none of them may come from another build.
    return id === build.id ? sendAsset(request, reply, { name, build, encoded }) : refuseAsset(reply, build);
  });
}

/** The path of the public URL, with a slash at its end. */
export const basePath = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/*$/, '/');

/** The page differs with every request, by its nonce, so a copy of it is of no use to anybody. */
function sendIndex(reply: FastifyReply, { site, publicUrl, issuer }: ConsoleOptions, base: string): FastifyReply {
  const nonce = randomBytes(18).toString('base64');
  return reply
    .headers({
      'cache-control': 'no-cache',
      'content-security-policy': contentPolicy({ nonce, publicUrl, issuer }),
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    .type('text/html; charset=utf-8')
    .send(renderIndex(site.build(), { base, nonce, ...(site.onChange && { scripts: [changesScriptPath] }) }));
}

async function sendAsset(
  request: FastifyRequest,
  reply: FastifyReply,
  { name, build, encoded }: { name: string; build: ConsoleBuild; encoded: EncodedAssets },
): Promise<FastifyReply> {
  const asset = build.assets.get(name);
  reply.headers({
    'content-security-policy': assetPolicy,
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  });
  if (!asset) return refuseAsset(reply, build);
  const { type, isText } = fileFormat(name);
  reply.header('cache-control', `public, max-age=${yearSeconds}, immutable`).type(type);
  if (!isText) return reply.send(asset.content);
  reply.header('vary', 'Origin, Accept-Encoding');
  const encoding = chooseEncoding(request.headers['accept-encoding']);
  if (!encoding) return reply.send(asset.content);
  return reply.header('content-encoding', encoding).send(await encoded.encode(asset, encoding));
}

/** What an open page asks for after the server was updated. */
const refuseAsset = (reply: FastifyReply, { id }: ConsoleBuild): FastifyReply =>
  reply.code(404).header('cache-control', 'no-store').send({
    code: 'NOT_FOUND',
    message: 'This build of the console has no such file. Reload the page to get the build that the server has.',
    build: id,
  });
