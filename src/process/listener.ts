import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { listen } from './listen.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * The listening server, open before the application is ready: /healthz answers immediately, everything else 503 until the application takes
 * over.
 */
export interface Listener {
  server: Server;
  /** The port that the server listens on. */
  port: number;
  /** Fastify's `serverFactory`: hands all further requests to its handler. */
  serverFactory: (handler: Handler) => Server;
  /**
   * Accepts no further connections, answers existing ones with `connection: close`, and resolves when every request is answered; after
   * `limitMs` the remaining connections are closed.
   */
  drain(limitMs: number): Promise<void>;
}

/** How long an idle keep-alive connection may still deliver a request that was sent before draining began. */
const lingerMs = 500;

/** A request for a block has up to 8 KiB of props in its query, and each byte of them may be written as three. */
const maxHeaderSize = 32 * 1024;

export async function openListener(options: { host: string; port: number }): Promise<Listener> {
  let handler: Handler = starting;
  let draining = false;
  /**
   * Decides whether the connection stays open when its headers are written. A set of the responses in progress would keep dead ones in the
   * heap (docs/decisions/query-results-are-freed-young.md).
   */
  class DrainingResponse extends ServerResponse {
    override writeHead(...given: unknown[]): this {
      if (draining) this.shouldKeepAlive = false;
      return super.writeHead(...(given as Parameters<ServerResponse['writeHead']>));
    }
  }
  const server = createServer(
    {
      requestTimeout: 60_000,
      keepAliveTimeout: 72_000,
      maxHeaderSize,
      ServerResponse: DrainingResponse,
      shouldUpgradeCallback: asksForWebSocket,
    },
    (request, response) => handler(request, response),
  );
  const connections = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  server.on('upgrade', (_request, socket) => {
    if (handler === starting || draining) socket.destroy();
  });
  const port = await listen(server, { ...options, variable: 'PORT' });
  return {
    server,
    port,
    serverFactory(given) {
      handler = given;
      return server;
    },
    async drain(limitMs) {
      draining = true;
      // http.Server.close would close idle connections immediately, and lose requests already on the wire.
      const closed = new Promise<void>((resolve) => {
        NetServer.prototype.close.call(server, () => resolve());
      });
      const sweep = setInterval(() => {
        server.closeIdleConnections();
        // Node waits for a first request on connections that browsers and proxies open ahead of use.
        for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
      }, lingerMs);
      let limit: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        limit = setTimeout(resolve, limitMs);
      });
      await Promise.race([closed, late]);
      server.closeAllConnections();
      clearInterval(sweep);
      clearTimeout(limit);
    },
  };
}

/** A client that offers another protocol, as Java's client offers HTTP/2 with each first request, is answered in this one. */
const asksForWebSocket = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === 'websocket';

const starting: Handler = (request, response) => {
  const isAlive = request.url === '/healthz';
  response.writeHead(isAlive ? 200 : 503, { 'content-type': 'application/json', 'retry-after': '1' });
  response.end(JSON.stringify(isAlive ? { status: 'ok' } : startingAt(request.url)));
};

/** In the error format of the application's API at that path, so that clients find the code where they look for it. */
function startingAt(url = '/'): object {
  if (url === '/readyz') return { status: 'starting' };
  const [message, code] = ['Starting.', 'UNAVAILABLE'];
  return /^\/graphql(?![^?])/.test(url) ? { errors: [{ message, extensions: { code } }] } : { message, code };
}
