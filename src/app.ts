import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { answerMalformedRequest } from '#rest/http/malformed-request.ts';
import { createNotFound, type NotFound } from '#rest/not-found.ts';
import { createResponseCache, type ResponseCache } from '#rest/response-cache.ts';
import type { RestApi } from '#rest/rest-api.ts';
import { apis as restApis, withRoutes } from '#rest/rest-apis.ts';
import { mountRest } from '#rest/router.ts';
import type { ConsoleSite } from './console/console-build.ts';
import { basePath, serveConsole } from './console/serve-console.ts';
import { collectDeclarations } from './domains/declarations.ts';
import type { DomainManifest } from './domains/domain-manifest.ts';
import { loadTenantSchemas } from './domains/open-domains.ts';
import type { Incoming } from './graphql/context.ts';
import { createGraph } from './graphql/graph.ts';
import { serveGraphql } from './graphql/http.ts';
import { createPersistedDocuments, type PersistedDocuments } from './graphql/persisted-documents.ts';
import type { ReadCaller } from './graphql/sockets/socket-protocol.ts';
import { type SocketOptions, Sockets } from './graphql/sockets/sockets.ts';
import { createAccessWatch } from './identity/access-watch.service.ts';
import { createKeyIdentity } from './identity/api-keys/key-identity.service.ts';
import { createBearerIdentity, tenantHeader } from './identity/bearer.ts';
import { rateBudget, headerText, keyHeader, keyTenantHeader } from './identity/caller.ts';
import { type ConsoleConfig, serveConsoleConfig } from './identity/console-config.ts';
import { type DevSignIn, serveDevSignIn } from './identity/dev-sign-in/dev-sign-in.ts';
import { listPlaces } from './identity/tenants.service.ts';
import type { TokenVerifier } from './identity/tokens.ts';
import { addCompression } from './infra/http/compression.ts';
import { addCors } from './infra/http/cors.ts';
import type { ObserveRequest } from './infra/http/observe-request.ts';
import type { Rates } from './infra/http/rate-limits.ts';
import { addReadAfter, readAfterHeaders } from './infra/http/read-after.ts';
import { type Readiness, readyStatus } from './infra/http/readiness.ts';
import { readRequestId, requestIdHeader } from './infra/http/request-id.ts';
import { serveRootPage } from './infra/http/root-page.ts';
import { traceRequests } from './infra/http/trace-requests.ts';
import { productVersion } from './infra/product-version.ts';
import type { Services } from './infra/services.ts';
import { loadSchema } from './schema.ts';

export interface AppOptions extends SocketOptions {
  domains: readonly DomainManifest[];
  /** The graph of the domains, if it is built already: apps of one process share it. */
  schema?: GraphQLSchema;
  services: Services;
  verifier: TokenVerifier;
  /** Limits of each user (`user`), and of each tenant's API keys together (`tenant`). */
  rates: Rates;
  /** How many wrong API keys one address may send in a minute; 0 means no limit. */
  wrongKeysPerMinute: number;
  /** Serves the sign-in of the development issuer. */
  devSignIn?: DevSignIn;
  consoleConfig: ConsoleConfig;
  /** Absent where the console is off. */
  consoleSite?: ConsoleSite;
  introspection: boolean;
  /** Documents that clients refer to by their hash. */
  persisted?: PersistedDocuments;
  jsonBodyLimit: number;
  packageBodyLimit: number;
  /** The readiness of the process: database, migrations, and its worker if it has one. */
  readiness: () => Promise<Readiness>;
  /** The REST APIs to serve; all by default. */
  apis?: readonly RestApi[];
  /** Provides a server that is already listening; its owner closes it. */
  serverFactory?: (handler: (request: IncomingMessage, response: ServerResponse) => void) => Server;
  observe?: ObserveRequest;
}

const requestTimeout = 60_000;

/**
 * Fastify's time limit for hooks at its start and its end. Draining takes up to 30 s and closing sockets 11; with the default of 10 s it
 * would close resources that requests in flight still use.
 */
const pluginTimeout = 60_000;

/** Builds the API, independent of a process, so that tests build the same one. Call `listen` or `inject` on the result. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const { services, domains } = options;
  const schema = options.schema ?? (await loadSchema(domains));
  const apis = await withRoutes(options.apis ?? restApis, domains);
  const { identities, readCaller } = openIdentities(options);
  const graph = createGraph({
    ...options,
    ownHeaders: [tenantHeader, keyHeader].map((name) => name.toLowerCase()),
    schema,
    graphiql: options.introspection,
    persisted: options.persisted ?? createPersistedDocuments(),
  });
  const responseCache = createResponseCache(options.observe ?? ignoreRequest);
  const notFound = createNotFound({ graph, services, apis, identities });
  const app = createServerApp(options, responseCache, notFound);
  await addCompression(app);
  addHooks(app, options, notFound);
  addProbes(app, options);
  addPages(app, options);
  if (options.devSignIn) await serveDevSignIn(app, options.devSignIn, () => listPlaces(services.deps.database));
  await serveGraphql(app, graph, (request) => toIncoming(request, readCaller));
  await mountRest(app, {
    graph,
    schema,
    services,
    apis,
    identities,
    topics: collectDeclarations(domains).topics,
    tenantSchemas: await loadTenantSchemas(domains),
    uploadLimit: options.packageBodyLimit,
    responseCache,
    notFound,
  });
  const sockets = new Sockets(graph, services.deps, readCaller, options);
  sockets.attach(app.server);
  // Before the server waits for its connections to close: WebSockets close only when asked to.
  app.addHook('preClose', () => sockets.close());
  return app;
}

const ignoreRequest: ObserveRequest = () => undefined;

/** How callers are identified: by a key where the request has one, otherwise by a token. */
function openIdentities({ services, verifier, wrongKeysPerMinute }: AppOptions) {
  const { database, log } = services.deps;
  const bearer = createBearerIdentity(database, verifier);
  const apiKey = createKeyIdentity(database, services.keyScopes, wrongKeysPerMinute);
  const watchAccess = createAccessWatch(database, log);
  const readCaller: ReadCaller = (headers, address) => ({
    identify: () =>
      headerText(headers, keyHeader) === null
        ? bearer(headers, headerText(headers, tenantHeader))
        : apiKey(headers, headerText(headers, keyTenantHeader), { address }),
    rateBudget,
    watchAccess,
  });
  return { identities: { bearer, apiKey }, readCaller };
}

/** The properties of an HTTP request that GraphQL needs. */
const toIncoming = (request: FastifyRequest, readCaller: ReadCaller): Incoming => ({
  requestId: request.id,
  sentId: readRequestId(request.headers),
  ...readAfterHeaders(request),
  trace: request.trace,
  log: request.log as Incoming['log'],
  ...readCaller(request.headers, request.ip),
  channel: 'api',
  audience: 'public',
});

function createServerApp(
  { services, jsonBodyLimit, serverFactory = (handler) => createServer({ requestTimeout }, handler) }: AppOptions,
  responseCache: ResponseCache,
  notFound: NotFound,
): FastifyInstance {
  const { log } = services.deps;
  return Fastify({
    // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- without it Fastify's types take pino's as their own parameter
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: jsonBodyLimit,
    genReqId: ({ headers }) => readRequestId(headers) ?? randomUUID(),
    requestTimeout,
    pluginTimeout,
    // While draining, new requests are still answered, and their connections are closed with the response.
    return503OnClosing: false,
    serverFactory: (handler) => serverFactory(responseCache.preRouter(handler)),
    // A path with malformed escapes, or one that is too long, matches no route. The router's own response has another format.
    frameworkErrors: (_error, request, reply) =>
      void notFound.refusePath(request, (reply as FastifyReply).header(requestIdHeader, request.id)),
    clientErrorHandler: (error, socket) => answerMalformedRequest(log, error, socket),
    // A state key of 512 characters, each of them four bytes that are escaped.
    routerOptions: { maxParamLength: 6_144 },
  });
}

function addHooks(app: FastifyInstance, options: AppOptions, notFound: NotFound): void {
  const { observe = ignoreRequest, services } = options;
  traceRequests(app, services.deps.tracing);
  app.addHook('onResponse', ({ method, routeOptions }, { statusCode: status, elapsedTime }, done) => {
    observe({ method, route: routeOptions.url ?? 'none', status }, elapsedTime);
    done();
  });
  addCors(app, options.allowsOrigin);
  // Hooks that run for every request use callbacks, because promises add up.
  app.addHook('onSend', (request, reply, _payload, done) => {
    reply.header(requestIdHeader, request.id);
    done();
  });
  addReadAfter(app, services.deps);
  app.setNotFoundHandler(notFound.refusePath);
  // Before the body is read: no route exists, so the body must not be reported as malformed or too large.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) void notFound.refusePath(request, reply);
    else done();
  });
}

/** What a browser is shown: the console, or a page of links where that is off. */
function addPages(app: FastifyInstance, { services, introspection, consoleConfig, consoleSite }: AppOptions): void {
  const { publicUrl } = services.deps;
  const home = consoleSite && `${basePath(publicUrl)}console/`;
  serveRootPage(app, { graphiql: introspection, ...(home !== undefined && { home }) });
  serveConsoleConfig(app, consoleConfig, { version: productVersion, build: () => consoleSite?.build().id ?? null });
  if (consoleSite) serveConsole(app, { site: consoleSite, publicUrl, issuer: consoleConfig.issuer });
}

function addProbes(app: FastifyInstance, { readiness }: AppOptions): void {
  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const state = await readiness();
    return reply.code(readyStatus(state)).send(state);
  });
}
