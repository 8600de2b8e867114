import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { handleProtocols, type Server as ProtocolServer } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { type Graph, graphqlPath } from '#src/graphql/graph.ts';
import type { Deps } from '#src/infra/deps.ts';
import type { AllowsOrigin } from '#src/infra/http/cors.ts';
import type { Logger } from '#src/infra/logs/logger.ts';
import { observations } from '#src/infra/observations/observations.ts';
import { createAdmission } from './socket-admission.ts';
import { closeCodes, SocketConnection } from './socket-connection.ts';
import { type ReadCaller, createSocketProtocol } from './socket-protocol.ts';

const limits = {
  messageBytes: 1024 * 1024,
  sockets: 20_000,
  idleMs: 60_000,
  keepAliveMs: 12_000,
  /** How long a closing process waits for queries and mutations in progress on sockets. */
  answersMs: 10_000,
  /** How long it then waits for clients to answer the closing handshake. */
  handshakeMs: 1_000,
};

export interface SocketOptions {
  /** How often each client is pinged; one that has not answered the last ping is dropped. 12 s by default. */
  keepAliveMs?: number;
  /** How long a socket may stay open without a subscription; a minute by default. */
  socketIdleMs?: number;
  /** How many sockets without a valid token one address may hold open; 0 means no limit. */
  socketsPerAddress: number;
  /** The origins whose pages may open sockets, beside our own. */
  allowsOrigin: AllowsOrigin;
}

/**
 * graphql-transport-ws at /graphql. graphql-ws implements the protocol. Queries and mutations take the ordinary path; the events of
 * identical subscriptions are executed and serialised once and written to every socket unchanged (docs/decisions/shared-subscriptions.md).
 * Connection parameters replace HTTP headers.
 */
export class Sockets {
  readonly #log: Logger;
  readonly #protocol: ProtocolServer<SocketConnection>;
  readonly #admission: ReturnType<typeof createAdmission>;
  readonly #idleMs: number;
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: limits.messageBytes, handleProtocols });
  readonly #connections = new Set<SocketConnection>();
  readonly #keepAlive: NodeJS.Timeout;
  #isClosing = false;

  constructor(graph: Graph, deps: Deps, readCaller: ReadCaller, options: SocketOptions) {
    this.#log = deps.log;
    this.#protocol = createSocketProtocol(graph, deps, readCaller);
    this.#admission = createAdmission({
      publicUrl: deps.publicUrl,
      allowsOrigin: options.allowsOrigin,
      perAddress: options.socketsPerAddress,
    });
    this.#idleMs = options.socketIdleMs ?? limits.idleMs;
    this.#keepAlive = setInterval(() => {
      for (const connection of this.#connections) connection.ping();
    }, options.keepAliveMs ?? limits.keepAliveMs).unref();
  }

  /** Handles the upgrade requests of a server. */
  attach(server: Server): void {
    server.on('upgrade', (request, raw: Duplex, head: Buffer) => {
      raw.on('error', () => undefined);
      const refusal = this.#refusal(request);
      if (refusal !== undefined) refuse(raw, refusal);
      else this.#server.handleUpgrade(request, raw, head, (socket) => this.#open(socket, raw, request));
    });
  }

  /**
   * Closes every socket with 1001, after which clients reconnect and subscribe again. They would also repeat their mutations, so those in
   * progress are answered first.
   */
  async close(): Promise<void> {
    clearInterval(this.#keepAlive);
    this.#isClosing = true;
    for (const connection of this.#connections) connection.goAway();
    await until(() => ![...this.#connections].some(({ isExecuting }) => isExecuting), limits.answersMs);
    for (const { socket } of this.#connections) socket.close(closeCodes.goingAway, 'Going away');
    await until(() => this.#connections.size === 0, limits.handshakeMs);
    for (const { socket } of this.#connections) socket.terminate();
    this.#server.close();
  }

  /** The HTTP status with which an upgrade is refused, if it is. */
  #refusal(request: IncomingMessage): string | undefined {
    if (request.url?.split('?')[0] !== graphqlPath) return '404 Not Found';
    const isFull = this.#isClosing || this.#connections.size >= limits.sockets;
    return this.#admission.findRefusal(request) ?? (isFull ? '503 Service Unavailable' : undefined);
  }

  #open(socket: WebSocket, raw: Duplex, request: IncomingMessage): void {
    const connection = new SocketConnection({
      socket,
      raw,
      address: request.socket.remoteAddress,
      idleMs: this.#idleMs,
      onIdentified: this.#admission.count(request),
    });
    this.#connections.add(connection);
    observations.socketsChanged.tell({ by: 1 });
    const protocolSocket = connection.protocolSocket((error) =>
      this.#log.error({ err: error }, 'a socket operation failed'),
    );
    const closed = this.#protocol.opened(protocolSocket, connection);
    socket.once('close', (code, reason) => {
      this.#connections.delete(connection);
      observations.socketsChanged.tell({ by: -1 });
      void closed(code, String(reason));
    });
  }
}

/** Waits until the condition holds, but no longer than `maxMs`. */
async function until(condition: () => boolean, maxMs: number): Promise<void> {
  for (let waited = 0; waited < maxMs && !condition(); waited += 20) await delay(20);
}

function refuse(raw: Duplex, status: string): void {
  raw.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}
