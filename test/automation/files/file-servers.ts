import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

interface Got {
  url: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

export interface FileServer {
  host: string;
  url: string;
  /** Requests with a body, in their order. */
  got: Got[];
  close(): Promise<void>;
}

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/** A server that hands out files by their path, and takes what is sent to any other. */
export async function startFileServer(files: Record<string, Serve>): Promise<FileServer> {
  const got: Got[] = [];
  const server = createServer((request, response) => {
    const serve = files[request.url ?? ''];
    if (serve) return serve(request, response);
    return void buffer(request).then(
      (body) => {
        got.push({ url: request.url ?? '', headers: request.headers, body });
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
      },
      () => undefined,
    );
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    url: `http://${host}`,
    got,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

export const sending =
  (body: Buffer | string, headers: Record<string, string> = {}): Serve =>
  (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/octet-stream', ...headers }).end(body);
