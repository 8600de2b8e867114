import { randomBytes } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { Html } from '@causeway/extension-kit/html';
import { CommandError, type CommandIo } from '#bin/command.ts';
import { writeManifestTypes } from '#bin/commands/extension/manifest-types.ts';
import { type ExtensionFolder, readExtensionFolder } from '#bin/commands/extension/read-extension-folder.ts';
import { listenOn } from '#bin/listen-on.ts';
import { ValidationError } from '#src/infra/errors.ts';
import { startExtension } from './extension-process.ts';
import { previewBlock } from './preview-block.ts';
import { faultPage, previewPage } from './preview-page.ts';
import { watchFolder } from './watch-folder.ts';

export interface Preview {
  url: string;
  close(): Promise<void>;
}

/** Starts the extension of a folder and a preview page that proxies it; restarts both when a file of the folder changes. */
export async function startPreview(options: {
  folder: string;
  entry: string;
  port: number;
  io: CommandIo;
}): Promise<Preview> {
  const { folder, port, io } = options;
  const secret = io.env['EXTENSION_SECRET'] || randomBytes(32).toString('base64url');
  const pages = new Set<ServerResponse>();
  let origin = '';

  const server = createServer((request, response) => {
    const { method = 'GET', url = '/' } = request;
    const address = URL.parse(url, origin);
    if (!address) return send(response, 404, faultPage('There is nothing at this address.'));
    answer(method, address, response).catch((error: unknown) => {
      send(response, 502, faultPage(error instanceof Error ? error.message : 'The extension cannot be shown.'));
    });
  });
  origin = `http://localhost:${await listenOn(server, { port, host: '127.0.0.1' })}`;
  const extension = await startExtension({ ...options, secret });

  async function answer(method: string, { pathname, search, searchParams }: URL, response: ServerResponse) {
    if (method !== 'GET') return send(response, 405, faultPage('Only GET is answered here.'));
    if (pathname === '/preview/changes') {
      pages.add(response);
      response.on('close', () => pages.delete(response));
      return response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n');
    }
    if (pathname === '/') return send(response, 200, await withFolder(({ manifest }) => previewPage(manifest)));
    const [, id] = /^\/preview\/blocks\/(\w+)$/.exec(pathname) ?? [];
    if (id === undefined) return passOn(extension.url + pathname + search, response);
    const page = await withFolder(({ manifest, assets }) => {
      const block = manifest.blocks.find((each) => each.id === id);
      if (!block) throw new CommandError(`There is no block "${id}".`);
      const props = searchParams.get('props') ?? '{}';
      return previewBlock({ manifest, assets, block, props, extension: { url: extension.url, secret, origin } });
    });
    return send(response, 200, page);
  }

  /** A fault is shown until the folder is valid again. */
  async function withFolder(show: (read: ExtensionFolder) => Html | Promise<Html>): Promise<Html> {
    try {
      return await show(await readExtensionFolder(folder));
    } catch (error) {
      if (error instanceof ValidationError) return faultPage(Object.values(error.fields).flat().join('\n'));
      if (error instanceof CommandError) return faultPage(error.message);
      throw error;
    }
  }

  const tell = (error: unknown): void =>
    io.err(`${error instanceof Error ? error.message : 'The folder cannot be read.'}\n`);
  async function showChanges(): Promise<void> {
    await readExtensionFolder(folder).then(({ manifest }) => writeManifestTypes(folder, manifest), tell);
    await extension.restart();
    for (const page of pages) page.write('data: changed\n\n');
  }
  const watcher = watchFolder(folder, showChanges, tell);

  return {
    url: origin,
    async close() {
      await watcher.close();
      server.closeAllConnections();
      await Promise.all([extension.close(), new Promise((done) => server.close(done))]);
    },
  };
}

const send = (response: ServerResponse, status: number, page: Html): void =>
  void response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(page.toString());

/** All other paths are the extension's: its manifest, its assets, its islands. */
async function passOn(url: string, response: ServerResponse): Promise<void> {
  const { status, headers, body } = await fetch(url, { redirect: 'manual' }).then(async (answered) => ({
    status: answered.status,
    headers: answered.headers,
    body: Buffer.from(await answered.arrayBuffer()),
  }));
  const kept = ['content-type', 'x-extension-version'].map((name) => [name, headers.get(name)] as const);
  const sent = kept.filter((pair): pair is [string, string] => pair[1] !== null);
  response.writeHead(status, { ...Object.fromEntries(sent), 'cache-control': 'no-store' }).end(body);
}
