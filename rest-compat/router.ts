import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import qs from 'qs';
import type { Incoming } from '#src/graphql/context.ts';
import type { Graph } from '#src/graphql/graph.ts';
import { nobody } from '#src/identity/caller.ts';
import { errorCodes, NotFoundError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { type Refusal, refusalOf, refusalOfFailure, serverError } from './errors.ts';
import { assertAccess, compileOperation, isFailure, openSession, type Operation, type Session } from './execute.ts';
import { openApiOf } from './openapi.ts';
import { isAdmin, isIdParam, methodsOf, paramsOf, type Route } from './route.ts';
import { routes } from './routes.ts';

declare module 'fastify' {
  interface FastifyRequest {
    session: Session | null;
  }
}

export interface RestOptions {
  graph: Graph;
  schema: GraphQLSchema;
  incomingOf: (request: FastifyRequest, plane: Incoming['plane']) => Incoming;
  /** Bytes of an uploaded file; the server's own limit holds for every other body. */
  uploadLimit: number;
}

export interface MountedRoute extends Route {
  operation: Operation;
}

/** Reads every row against the schema; one whose document does not fit stops the start, named. */
export function compileRoutes(schema: GraphQLSchema): MountedRoute[] {
  return routes.map((row) => {
    try {
      return { ...row, operation: compileOperation(schema, row.document) };
    } catch (cause) {
      throw new Error(`The REST route ${methodsOf(row).join('|')} ${row.path} cannot be: ${(cause as Error).message}`, {
        cause,
      });
    }
  });
}

/** Mounts the REST face: /api/v1, and its admin plane under /v1/admin as well. */
export async function mountRest(app: FastifyInstance, options: RestOptions): Promise<void> {
  const mounted = compileRoutes(options.schema);
  const description = JSON.stringify(openApiOf(options.schema, mounted));
  await app.register(
    async (scope) => {
      serve(scope, mounted, options);
      scope.get('/openapi.json', (_request, reply) => reply.type('application/json').send(description));
      refuseOtherMethods(scope, '/openapi.json', ['GET', 'HEAD']);
    },
    { prefix: '/api/v1' },
  );
  await app.register(async (scope) => serve(scope, mounted.filter(isAdmin), options), { prefix: '/v1' });
}

function serve(scope: FastifyInstance, rows: MountedRoute[], options: RestOptions): void {
  scope.decorateRequest('session', null);
  scope.setErrorHandler((error, request, reply) => {
    const refusal = refusalOf(error);
    if (!refusal) request.log.error({ err: error, requestId: request.id }, 'unexpected error');
    return refuse(reply, refusal ?? serverError);
  });
  scope.addHook('onResponse', async ({ raw }) => letGo(raw));
  // Fastify refuses a type that is none, such as `json`; senders of webhooks have them.
  scope.addHook('onRequest', async (request) => {
    if (request.mediaType === undefined) delete request.headers['content-type'];
  });
  // Whatever the type, the body is the row's to read: one that is not JSON where JSON is due is malformed.
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  for (const row of rows.filter((each) => !isStreamed(each))) serveRow(scope, row, options);
  scope.register(async (streams) => {
    streams.removeAllContentTypeParsers();
    streams.addContentTypeParser('*', (_request, stream, done) => done(null, stream));
    for (const row of rows.filter(isStreamed)) serveRow(streams, row, options);
  });
  for (const [path, siblings] of Map.groupBy(rows, (row) => row.path)) {
    const head = siblings.some(answersHead) ? ['HEAD'] : [];
    refuseOtherMethods(scope, path, [...siblings.flatMap(methodsOf), ...head]);
  }
}

const lingerMs = 2_000;

/**
 * A body that was refused half-way holds its connection, unread. It is read on for a while, so that the client comes to see
 * the answer, and then cut off.
 */
function letGo(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  request.resume();
  setTimeout(() => request.complete || request.destroy(), lingerMs).unref();
}

const isStreamed = ({ body }: Route): boolean => body?.takes === 'stream';

// A literal colon is doubled for the router.
const urlOf = (path: string): string => path.replaceAll(':', '::').replace(/\{(\w+)\}/g, ':$1');

// HEAD stands beside GET, except where GET means what POST means or has an effect: asking for the head would have it too.
const answersHead = (row: MountedRoute): boolean => row.method === 'GET' && row.operation.kind === 'query';

function serveRow(scope: FastifyInstance, row: MountedRoute, options: RestOptions): void {
  const { graph, incomingOf, uploadLimit } = options;
  const { operation, reply: answer } = row;
  const plane = isAdmin(row) ? 'admin' : 'public';
  const ids = paramsOf(row.path).filter(isIdParam);
  scope.route({
    method: [...methodsOf(row)],
    url: urlOf(row.path),
    exposeHeadRoute: answersHead(row),
    // Before the body is read: a stranger's body is not worth parsing.
    async onRequest(request) {
      const incoming = incomingOf(request, plane);
      // What is public never looks at a token, be it good or bad.
      request.session = await openSession(
        graph,
        operation.scope === null ? { ...incoming, identify: async () => nobody } : incoming,
      );
      assertAccess(request.session, operation);
    },
    async handler(request, reply) {
      const params = request.params as Record<string, string>;
      if (ids.some((name) => !/^\d{1,19}$/.test(params[name] ?? ''))) throw new NotFoundError();
      const query = row.query && parseInput(row.query, queryOf(request));
      const variables = row.variables?.({
        method: request.method,
        params,
        headers: request.headers,
        query,
        body: await bodyOf(row, request, uploadLimit),
      });
      const found = await (request.session as Session).run(operation, variables);
      if (found === null) throw new NotFoundError();
      if (isFailure(found)) return refuse(reply, refusalOfFailure(found));
      const body = answer.body(found, query);
      reply.code(answer.statusOf?.(found) ?? answer.status).headers(answer.headersOf?.(found) ?? {});
      return body === undefined
        ? reply.send()
        : reply.type('application/json; charset=utf-8').send(JSON.stringify(body));
    },
  });
}

const noBytes = Buffer.alloc(0);

function bodyOf({ body }: Route, request: FastifyRequest, uploadLimit: number): unknown {
  const type = request.headers['content-type'] ?? '';
  if (body?.takes === 'stream') return body.read(request.raw, type, uploadLimit);
  return body?.read((request.body as Buffer | undefined) ?? noBytes, type);
}

const queryLimits = { depth: 1, parameterLimit: 100, arrayLimit: 100, ignoreQueryPrefix: true };

/** The query string as `qs` reads it: `status[]=failed&status[]=running` is a list. */
function queryOf(request: FastifyRequest): object {
  const url = request.raw.url ?? '';
  const start = url.indexOf('?');
  return start < 0 ? {} : qs.parse(url.slice(start), queryLimits);
}

function refuse(reply: FastifyReply, { status, body, retryAfter }: Refusal): FastifyReply {
  if (status === errorCodes.UNAUTHENTICATED.status) reply.header('www-authenticate', 'Bearer');
  if (retryAfter !== undefined) reply.header('retry-after', Math.max(1, Math.ceil(retryAfter)));
  return reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(body));
}

const allMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

function refuseOtherMethods(scope: FastifyInstance, path: string, allowed: string[]): void {
  const { status, message } = errorCodes.METHOD_NOT_ALLOWED;
  scope.route({
    method: allMethods.filter((method) => !allowed.includes(method)),
    url: urlOf(path),
    exposeHeadRoute: false,
    onRequest: async (_request, reply) =>
      refuse(reply.header('allow', allowed.join(', ')), { status, body: { message } }),
    handler: async () => undefined,
  });
}
