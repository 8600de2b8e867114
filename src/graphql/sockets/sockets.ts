import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type ExecutionArgs, type ExecutionResult, getOperationAST, GraphQLError, OperationTypeNode } from 'graphql';
import { type Context as SocketContext, handleProtocols, makeServer, type SubscribePayload } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Caller, Context, Incoming } from '#src/graphql/context.ts';
import { createLiveGroups, type LiveArgs } from '#src/graphql/fast/live-groups.ts';
import type { LiveResult } from '#src/graphql/fast/live-streams.ts';
import { type Graph, graphqlPath } from '#src/graphql/graph.ts';
import { mask } from '#src/graphql/plugins/use-error-mask.ts';
import type { Deps } from '#src/infra/deps.ts';
import type { ErrorCode } from '#src/infra/errors.ts';
import type { AllowsOrigin } from '#src/infra/http/cors.ts';
import { exactNumbers } from '#src/infra/text/exact-numbers.ts';
import { callAt } from '#src/infra/timing/timers.ts';
import { createAdmission } from './socket-admission.ts';
import { closeCodes, type Connection, createLiveOperation } from './socket-operation.ts';

const limits = {
  messageBytes: 1024 * 1024,
  sockets: 20_000,
  operationsPerSocket: 100,
  operationIdLength: 128,
  /** Unsent bytes of one socket at which it counts as dead. */
  unsentBytes: 4 * 1024 * 1024,
  initMs: 5_000,
  /** How long a socket may stay open without a subscription. */
  idleMs: 60_000,
  /** How long a closing process waits for queries and mutations in progress on sockets. */
  answersMs: 10_000,
};

export interface SocketOptions {
  /** How often a silent socket is pinged; after two pings without an answer it is dropped. */
  keepAliveMs?: number;
  /** How long a socket may stay open without a subscription; a minute. */
  socketIdleMs?: number;
  /** How many sockets without a valid token one address may hold open; 0 means no limit. */
  socketsPerAddress: number;
  /** The origins whose pages may open sockets, beside our own. */
  allowsOrigin: AllowsOrigin;
}

/** Identifies the caller by a request's headers, and the subject it counts against. */
type CallerOf = (
  headers: IncomingHttpHeaders,
  address: string | undefined,
) => Pick<Incoming, 'identify' | 'budgetOf' | 'watchAccess'>;

interface Extra extends Connection {
  /** The remote address of the socket. */
  address: string | undefined;
  /** True if it has answered the last ping. */
  alive: boolean;
  /** Queries and mutations in progress, from their message to their response. */
  executing: number;
  /** Its open subscriptions, by the payload of their message: an id may be used again. */
  subscriptions: Set<SubscribePayload>;
  /** Closes the socket when it has had no subscription for a while; restarted when one ends. */
  idle: NodeJS.Timeout;
  /** True if it takes no more messages and closes as soon as its queries and mutations are answered. */
  leaving: boolean;
  /** Called once a valid token is known. */
  identified: () => void;
  /** Cancels closing the socket at the expiry of its token. */
  forgetExpiry?: () => void;
  /** Cancels closing the socket when its caller's access is revoked. */
  forgetAccess?: (() => void) | undefined;
}

/** The enveloped functions of one operation, which `onSubscribe` prepares for `execute` and `subscribe`. */
interface Prepared {
  execute: (args: unknown) => Promise<ExecutionResult>;
  subscribe: (args: unknown) => Promise<ExecutionResult | LiveResult>;
  query: string;
  id: string;
  payload: SubscribePayload;
  extra: Extra;
}

/**
 * graphql-transport-ws at /graphql. graphql-ws implements the protocol. Queries and mutations take the ordinary path; the events of
 * identical subscriptions are executed and serialised once and written to every socket unchanged (docs/decisions/shared-subscriptions.md).
 * Connection parameters replace HTTP headers.
 */
export function createSockets(graph: Graph, deps: Deps, callerOf: CallerOf, options: SocketOptions) {
  const groups = createLiveGroups((result, context) => masked(result, context));
  const connections = new Set<Extra>();
  const prepared = new WeakMap<ExecutionArgs, Prepared>();
  const preparedOf = (args: ExecutionArgs): Prepared => prepared.get(args) as Prepared;
  const admission = createAdmission({
    publicUrl: deps.publicUrl,
    allowsOrigin: options.allowsOrigin,
    perAddress: options.socketsPerAddress,
  });
  let closing = false;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: limits.messageBytes, handleProtocols });

  const answered = (extra: Extra): void => {
    // graphql-ws sends the response a few promises later.
    setImmediate(() => {
      extra.executing -= 1;
      if (extra.leaving) closeUnused(extra);
    });
  };

  const protocol = makeServer<Record<string, unknown>, Extra>({
    connectionInitWaitTimeout: limits.initMs,
    onConnect: async (context) => {
      try {
        const { identify, watchAccess } = callerOf(headersOf(context), context.extra.address);
        identified(context.extra, await identify(), watchAccess);
      } catch {
        // Each operation identifies the caller again, and fails with the error that explains the refusal.
      }
    },
    onComplete: ({ extra }, _id, payload) => {
      if (extra.subscriptions.delete(payload)) extra.idle.refresh();
    },
    execute: async (args) => {
      const { execute, extra } = preparedOf(args);
      return execute(args).finally(() => answered(extra));
    },
    subscribe: async (args) => {
      const { subscribe, query, id, payload, extra } = preparedOf(args);
      const result = await subscribe(args);
      if (!('live' in result)) return result;
      extra.subscriptions.add(payload);
      return createLiveOperation({
        id,
        connection: extra,
        live: result.live,
        group: groups.of(query, args as LiveArgs),
        failed: (error) => mask(error, args.contextValue as Context),
      });
    },
    onSubscribe: async (context, id, payload) => {
      context.extra.executing += 1;
      const args = await prepare(context, id, payload);
      const isExecuted = 'document' in args && isQueryOrMutation(args);
      if (!isExecuted) answered(context.extra);
      return args;
    },
  });

  async function prepare(
    context: SocketContext<Record<string, unknown>, Extra>,
    id: string,
    payload: SubscribePayload,
  ): Promise<ExecutionArgs | readonly GraphQLError[]> {
    if (Object.keys(context.subscriptions).length > limits.operationsPerSocket)
      return [
        refusal('TOO_MANY_ATTEMPTS', `At most ${limits.operationsPerSocket} operations may be open on one socket.`),
      ];
    if (id.length > limits.operationIdLength)
      return [refusal('BAD_REQUEST', `An operation's id may have at most ${limits.operationIdLength} characters.`)];
    const { schema, execute, subscribe, contextFactory, parse, validate } = graph.getEnveloped({
      incoming: {
        requestId: randomUUID(),
        log: deps.log,
        ...callerOf(headersOf(context), context.extra.address),
        channel: 'api',
        plane: 'public',
        transport: 'socket',
      },
    });
    let document;
    let query: string;
    try {
      query = graph.persisted.textOf(payload);
      document = parse(query);
    } catch (error) {
      return [mask(error, undefined)];
    }
    const faults = validate(schema, document);
    if (faults.length > 0) return faults;
    try {
      const contextValue = await contextFactory();
      const known = contextValue as unknown as Context;
      identified(context.extra, known, known.watchAccess);
      const args: ExecutionArgs = {
        schema,
        operationName: payload.operationName,
        document,
        variableValues: payload.variables,
        contextValue,
      };
      prepared.set(args, { execute, subscribe, query, id, payload, extra: context.extra } as Prepared);
      return args;
    } catch (error) {
      return [mask(error, undefined)];
    }
  }

  /** A socket's parameters never change, so its first valid token is its only one. */
  function identified(extra: Extra, { viewer, tenant }: Caller, watchAccess: Incoming['watchAccess']): void {
    // It may have closed meanwhile.
    if (!viewer || !connections.has(extra)) return;
    extra.identified();
    const close = (reason: string) => () => extra.socket.close(closeCodes.forbidden, reason);
    extra.forgetExpiry ??= callAt(viewer.expiresAt, close('The token has expired'));
    if (tenant) extra.forgetAccess ??= watchAccess?.({ viewer, tenant }, close('Access was taken away'));
  }

  function opened(socket: WebSocket, raw: Duplex, request: IncomingMessage): void {
    const extra: Extra = {
      socket,
      raw,
      address: request.socket.remoteAddress,
      onDrain: new Set(),
      alive: true,
      executing: 0,
      subscriptions: new Set(),
      idle: setTimeout(() => closeUnused(extra), options.socketIdleMs ?? limits.idleMs).unref(),
      leaving: false,
      identified: admission.count(request),
    };
    connections.add(extra);
    raw.on('drain', () => {
      const waiting = [...extra.onDrain];
      extra.onDrain.clear();
      for (const drained of waiting) drained();
    });
    // Responses are buffered in our process, so a client that sends operations without reading fills our memory, not its own.
    const bounded = (): boolean => {
      if (raw.writableLength <= limits.unsentBytes) return true;
      socket.terminate();
      return false;
    };
    socket.on('ping', bounded);
    socket.on('pong', () => {
      extra.alive = true;
    });
    const closed = protocol.opened(
      {
        protocol: socket.protocol,
        send: (data) => {
          if (socket.readyState === socket.OPEN && bounded()) socket.send(data);
        },
        close: (code, reason) => socket.close(code, reason),
        onMessage: (take) => {
          socket.on('message', (data) => {
            if (closing || extra.leaving || !bounded()) return;
            // `ws` has already checked a text frame for UTF-8, but not a binary one.
            if (!isUtf8(data as Buffer)) return socket.close(closeCodes.notText, 'Send messages as UTF-8');
            take(exactNumbers((data as Buffer).toString('utf8'))).catch((error: unknown) => {
              deps.log.error({ err: error }, 'a socket operation failed');
              socket.close(1011, 'Internal server error');
            });
          });
        },
      },
      extra,
    );
    // A broken connection also emits `close`, which releases everything.
    socket.on('error', () => undefined);
    socket.once('close', (code, reason) => {
      connections.delete(extra);
      clearTimeout(extra.idle);
      extra.forgetExpiry?.();
      extra.forgetAccess?.();
      extra.identified();
      void closed(code, String(reason));
    });
  }

  const keepAlive = setInterval(() => {
    for (const connection of connections) {
      if (!connection.alive) connection.socket.terminate();
      connection.alive = false;
      if (connection.socket.readyState === connection.socket.OPEN) connection.socket.ping();
    }
  }, options.keepAliveMs ?? 12_000).unref();

  return {
    /** Handles the upgrade requests of a server. */
    attach(server: Server): void {
      server.on('upgrade', (request, raw: Duplex, head: Buffer) => {
        raw.on('error', () => undefined);
        const refusal = admission.refusalOf(request);
        if (request.url?.split('?')[0] !== graphqlPath) refuse(raw, '404 Not Found');
        else if (refusal !== undefined) refuse(raw, refusal);
        else if (closing || connections.size >= limits.sockets) refuse(raw, '503 Service Unavailable');
        else sockets.handleUpgrade(request, raw, head, (socket) => opened(socket, raw, request));
      });
    },
    /**
     * Closes every socket with 1001, after which clients reconnect and subscribe again. They would also repeat their mutations, so those in
     * progress are answered first.
     */
    async close(): Promise<void> {
      clearInterval(keepAlive);
      closing = true;
      for (let waited = 0; connections.size > 0 && waited < limits.answersMs; waited += 20) {
        const [busy, free] = [[...connections].filter(isBusy), [...connections].filter((each) => !isBusy(each))];
        free.forEach(goAway);
        if (busy.length === 0) break;
        await delay(20);
      }
      connections.forEach(goAway);
      for (let waited = 0; connections.size > 0 && waited < 1_000; waited += 20) await delay(20);
      for (const { socket } of connections) socket.terminate();
      sockets.close();
    },
  };
}

const isQueryOrMutation = ({ document, operationName }: ExecutionArgs): boolean => {
  const operation = getOperationAST(document, operationName)?.operation;
  return operation !== undefined && operation !== OperationTypeNode.SUBSCRIPTION;
};

/** Only subscriptions count as use, because any other operation could be repeated to hold a socket open, even without a token. */
function closeUnused(extra: Extra): void {
  if (extra.subscriptions.size > 0) return void extra.idle.refresh();
  extra.leaving = true;
  if (!isBusy(extra)) extra.socket.close(closeCodes.unused, 'No subscription for a while');
}

const isBusy = ({ executing }: Extra): boolean => executing > 0;
const goAway = ({ socket }: Connection): void => socket.close(closeCodes.goingAway, 'Going away');

const refusal = (code: ErrorCode, message: string) => new GraphQLError(message, { extensions: { code } });

function masked(result: ExecutionResult, { incoming }: Context): ExecutionResult {
  return result.errors ? { ...result, errors: result.errors.map((error) => mask(error, incoming)) } : result;
}

/** The parameters of a connection have the names of headers, in any case. */
function headersOf({ connectionParams }: SocketContext<Record<string, unknown>, Extra>): IncomingHttpHeaders {
  const texts = Object.entries(connectionParams ?? {}).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(texts.map(([name, value]) => [name.toLowerCase(), value as string]));
}

function refuse(raw: Duplex, status: string): void {
  raw.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}
