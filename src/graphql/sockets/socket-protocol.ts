import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type ExecutionArgs, type ExecutionResult, getOperationAST, GraphQLError, OperationTypeNode } from 'graphql';
import { type Context as ProtocolContext, makeServer, type Server, type SubscribePayload } from 'graphql-ws';
import type { Context, Incoming } from '#src/graphql/context.ts';
import { createLiveGroups, type LiveArgs } from '#src/graphql/fast/live-groups.ts';
import type { LiveResult } from '#src/graphql/fast/live-streams.ts';
import type { Graph } from '#src/graphql/graph.ts';
import { mask } from '#src/graphql/plugins/use-error-mask.ts';
import { withReadAfter } from '#src/graphql/replica-reads.ts';
import type { Deps } from '#src/infra/deps.ts';
import type { ErrorCode } from '#src/infra/errors.ts';
import { LiveOperation } from './live-operation.ts';
import type { SocketConnection } from './socket-connection.ts';

const initMs = 5_000;
const maxOperations = 100;
const maxIdLength = 128;

/** Identifies the caller by a request's headers, and the subject it counts against. */
export type ReadCaller = (
  headers: IncomingHttpHeaders,
  address: string | undefined,
) => Pick<Incoming, 'identify' | 'rateBudget' | 'watchAccess'>;

type SocketContext = ProtocolContext<Record<string, unknown>, SocketConnection>;

/** The enveloped functions of one operation, which `onSubscribe` prepares for `execute` and `subscribe`. */
interface Prepared {
  execute: (args: unknown) => Promise<ExecutionResult>;
  subscribe: (args: unknown) => Promise<ExecutionResult | LiveResult>;
  query: string;
  id: string;
  payload: SubscribePayload;
  connection: SocketConnection;
}

/** graphql-transport-ws as graphql-ws implements it; operations run through the graph's envelope. */
export function createSocketProtocol(graph: Graph, deps: Deps, readCaller: ReadCaller): Server<SocketConnection> {
  const operations = new SocketOperations(graph, deps, readCaller);
  return makeServer<Record<string, unknown>, SocketConnection>({
    connectionInitWaitTimeout: initMs,
    onConnect: (context) => operations.connect(context),
    onSubscribe: (context, id, payload) => operations.prepare(context, id, payload),
    execute: (args) => operations.execute(args),
    subscribe: (args) => operations.subscribe(args),
    onComplete: ({ extra: connection }, _id, payload) => connection.completed(payload),
  });
}

class SocketOperations {
  readonly #graph: Graph;
  readonly #deps: Deps;
  readonly #readCaller: ReadCaller;
  readonly #groups = createLiveGroups((result, context) => withReadAfter(masked(result, context), context));
  readonly #prepared = new WeakMap<ExecutionArgs, Prepared>();

  constructor(graph: Graph, deps: Deps, readCaller: ReadCaller) {
    this.#graph = graph;
    this.#deps = deps;
    this.#readCaller = readCaller;
  }

  async connect(context: SocketContext): Promise<void> {
    try {
      const { identify, watchAccess } = this.#caller(context);
      context.extra.identified(await identify(), watchAccess);
    } catch {
      // Each operation identifies the caller again, and fails with the error that explains the refusal.
    }
  }

  async prepare(
    context: SocketContext,
    id: string,
    payload: SubscribePayload,
  ): Promise<ExecutionArgs | readonly GraphQLError[]> {
    const connection = context.extra;
    connection.executing();
    connection.opening(id, payload);
    const args = limitError(context, id) ?? (await this.#parse(context, id, payload));
    const isPrepared = 'document' in args;
    if (!isPrepared || !isQueryOrMutation(args)) connection.executed();
    return isPrepared ? args : ifCurrent(args, { connection, id, payload });
  }

  async execute(args: ExecutionArgs): Promise<ExecutionResult> {
    const prepared = this.#preparedFor(args);
    const result = await prepared.execute(args).finally(() => prepared.connection.executed());
    return ifCurrent(result, prepared);
  }

  async subscribe(args: ExecutionArgs): Promise<ExecutionResult | LiveOperation> {
    const prepared = this.#preparedFor(args);
    const { query, id, payload, connection } = prepared;
    const result = await ifCurrent(await prepared.subscribe(args), prepared);
    if (!('live' in result)) return result;
    connection.subscribed(payload);
    return new LiveOperation({
      id,
      connection,
      live: result.live,
      group: this.#groups.of(query, args as LiveArgs),
      toClientError: (error) => mask(error, args.contextValue as Context),
    });
  }

  async #parse(
    context: SocketContext,
    id: string,
    payload: SubscribePayload,
  ): Promise<ExecutionArgs | readonly GraphQLError[]> {
    const connection = context.extra;
    const readAfter = payload.extensions?.['readAfter'];
    const { schema, execute, subscribe, contextFactory, parse, validate } = this.#graph.getEnveloped({
      incoming: {
        requestId: randomUUID(),
        ...(typeof readAfter === 'string' && { readAfter }),
        log: this.#deps.log,
        ...this.#caller(context),
        channel: 'api',
        audience: 'public',
        transport: 'socket',
      },
    });
    try {
      const query = this.#graph.persisted.findText(payload);
      const document = parse(query);
      const faults = validate(schema, document);
      if (faults.length > 0) return faults;
      if (!getOperationAST(document, payload.operationName))
        return [refusal('BAD_REQUEST', 'Name the operation: the document has several, or none of that name.')];
      const contextValue = await contextFactory();
      const known = contextValue as unknown as Context;
      connection.identified(known, known.watchAccess);
      const { operationName, variables: variableValues } = payload;
      const args: ExecutionArgs = { schema, operationName, document, variableValues, contextValue };
      this.#prepared.set(args, { execute, subscribe, query, id, payload, connection } as Prepared);
      return args;
    } catch (error) {
      return [mask(error, undefined)];
    }
  }

  #preparedFor(args: ExecutionArgs): Prepared {
    return this.#prepared.get(args) as Prepared;
  }

  #caller(context: SocketContext): ReturnType<ReadCaller> {
    return this.#readCaller(parameterHeaders(context), context.extra.address);
  }
}

/**
 * The result of an operation that has been opened. Never resolves when the client has completed it meanwhile and used its id again: graphql-ws
 * knows operations by their id only, and would take the one for the other, so that the other never ended.
 */
async function ifCurrent<Result>(
  result: Result,
  { connection, id, payload }: Pick<Prepared, 'connection' | 'id' | 'payload'>,
): Promise<Result> {
  return connection.opened(id, payload) ? result : new Promise<never>(() => undefined);
}

function limitError({ subscriptions }: SocketContext, id: string): GraphQLError[] | undefined {
  if (Object.keys(subscriptions).length > maxOperations)
    return [refusal('TOO_MANY_ATTEMPTS', `At most ${maxOperations} operations may be open on one socket.`)];
  if (id.length > maxIdLength)
    return [refusal('BAD_REQUEST', `An operation's id may have at most ${maxIdLength} characters.`)];
  return undefined;
}

const refusal = (code: ErrorCode, message: string) => new GraphQLError(message, { extensions: { code } });

function isQueryOrMutation({ document, operationName }: ExecutionArgs): boolean {
  const operation = getOperationAST(document, operationName)?.operation;
  return operation !== undefined && operation !== OperationTypeNode.SUBSCRIPTION;
}

function masked(result: ExecutionResult, { incoming }: Context): ExecutionResult {
  return result.errors ? { ...result, errors: result.errors.map((error) => mask(error, incoming)) } : result;
}

/** The parameters of a connection have the names of headers, in any case. */
function parameterHeaders({ connectionParams }: SocketContext): IncomingHttpHeaders {
  const texts = Object.entries(connectionParams ?? {}).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(texts.map(([name, value]) => [name.toLowerCase(), value as string]));
}
