import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance, type FastifyRequest } from 'fastify';
import { useServer } from 'graphql-ws/use/ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { mountRest } from '#rest/router.ts';
import type { Context, Incoming } from './context.ts';
import { createGraph, graphqlPath } from './graph.ts';
import { devDiscovery, type DevIssuer } from './identity/dev-issuer.ts';
import type { TokenVerifier } from './identity/tokens.ts';
import type { Deps } from './platform/deps.ts';
import { errorCodes } from './platform/errors.ts';
import { schema } from './schema.ts';

export interface AppOptions {
  deps: Deps;
  verifier: TokenVerifier;
  /** Serves the development issuer's discovery and keys. */
  devIssuer?: DevIssuer;
  introspection: boolean;
  jsonBodyLimit: number;
  /** Answers whether the process can serve: database, migrations, and workers where they belong to it. */
  ready: () => Promise<boolean>;
  /** A server that listens already and hands its requests over; its owner closes it. */
  serverFactory?: (handler: (request: IncomingMessage, response: ServerResponse) => void) => Server;
}

const header = (value: string | string[] | undefined): string | null =>
  (Array.isArray(value) ? value[0] : value) || null;

/** What the transport knows of an HTTP request, in the shape both faces take. */
export const incomingOf = (request: FastifyRequest, plane: Incoming['plane'] = 'public'): Incoming => ({
  requestId: request.id,
  log: request.log as Incoming['log'],
  authorization: header(request.headers.authorization),
  tenantHeader: header(request.headers['x-tenant-id']),
  channel: 'api',
  plane,
});

/** Builds the API apart from its process; tests build the same. Call `listen` or `inject` on what it answers. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const { deps } = options;
  const graph = createGraph({
    ...options,
    schema,
    graphiql: options.introspection,
  });
  const app = Fastify({
    loggerInstance: deps.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: options.jsonBodyLimit,
    genReqId: () => randomUUID(),
    requestTimeout: 60_000,
    // While draining, a request that still arrives is answered, and its connection closed with the answer.
    return503OnClosing: false,
    ...(options.serverFactory && { serverFactory: options.serverFactory }),
    routerOptions: { maxParamLength: 300 },
  });
  app.addHook('onSend', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ message: errorCodes.NOT_FOUND.message }));

  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const ready = await options.ready();
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'starting' });
  });
  if (options.devIssuer) serveDevIssuer(app, options.devIssuer);

  await app.register(async (scope) => {
    // Yoga parses the body itself; Fastify only bounds it.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
    scope.route({
      method: ['GET', 'POST', 'OPTIONS'],
      url: graphqlPath,
      handler: async (request, reply) => {
        const response = await graph.handleNodeRequestAndResponse(
          Object.assign(request.raw, { body: request.body }),
          reply.raw as never,
          { incoming: incomingOf(request) },
        );
        response.headers.forEach((value, key) => void reply.header(key, value));
        return reply.code(response.status).send(response.body ?? '');
      },
    });
  });
  await mountRest(app, { graph, schema, incomingOf });
  serveSockets(app, graph, deps);
  return app;
}

function serveDevIssuer(app: FastifyInstance, issuer: DevIssuer): void {
  app.get('/dev/oidc/.well-known/openid-configuration', () => devDiscovery(issuer.issuer));
  app.get('/dev/oidc/jwks', () => issuer.jwks);
}

/** graphql-ws on the same path; connection parameters carry what HTTP carries in headers. */
function serveSockets(app: FastifyInstance, graph: ReturnType<typeof createGraph>, deps: Deps): void {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 1024 * 1024 });
  const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
  useServer(
    {
      execute: (args) => (args as unknown as Enveloped).rootValue.execute(args),
      subscribe: (args) => (args as unknown as Enveloped).rootValue.subscribe(args),
      onSubscribe: async (context, _id, payload) => {
        const given = new Map(
          Object.entries(context.connectionParams ?? {}).map(([key, value]) => [key.toLowerCase(), value]),
        );
        const { schema: current, execute, subscribe, contextFactory, parse, validate } = graph.getEnveloped({
          incoming: {
            requestId: randomUUID(),
            log: deps.log,
            authorization: text(given.get('authorization')),
            tenantHeader: text(given.get('x-tenant-id')),
            channel: 'api',
            plane: 'public',
          },
        });
        const document = parse(payload.query);
        const errors = validate(current, document);
        if (errors.length > 0) return errors;
        return {
          schema: current,
          operationName: payload.operationName,
          document,
          variableValues: payload.variables,
          contextValue: (await contextFactory()) as unknown as Context,
          rootValue: { execute, subscribe },
        };
      },
    },
    sockets,
  );
  app.server.on('upgrade', (request, socket, head) => {
    if (!request.url?.split('?')[0]?.endsWith(graphqlPath)) {
      socket.destroy();
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client: WebSocket) => sockets.emit('connection', client, request));
  });
  app.addHook('preClose', async () => {
    for (const client of sockets.clients) client.close(1001, 'Going away');
    sockets.close();
  });
}

type Execute = (args: unknown) => never;
interface Enveloped {
  rootValue: { execute: Execute; subscribe: Execute };
}
