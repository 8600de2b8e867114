import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import qs from 'qs';
import { z } from 'zod';
import { assertAccess } from '#src/graphql/access.ts';
import { type Caller, createContext, type Incoming } from '#src/graphql/context.ts';
import type { Graph } from '#src/graphql/graph.ts';
import { mask } from '#src/graphql/plugins/use-error-mask.ts';
import { noteWrite } from '#src/graphql/replica-reads.ts';
import { type Identify, nobody } from '#src/identity/caller.ts';
import { NotFoundError } from '#src/infra/errors.ts';
import { readAfterHeaders } from '#src/infra/http/read-after.ts';
import { readRequestId } from '#src/infra/http/request-id.ts';
import type { Services } from '#src/infra/services.ts';
import type { ReadTenantSchemas } from '#src/infra/tenant-schemas.ts';
import { type Answer, jsonAnswer, refusalAnswer, sendAnswer, fastifyPath } from './answer.ts';
import { readNoBody } from './bodies.ts';
import { compileRoutes, mountBytes, type MountedDocument, type MountedRoute } from './compile.ts';
import { toRefusal, refusalOfFailure, serverError } from './errors.ts';
import { isFailure, openSession, type Session } from './execute.ts';
import { drainBody } from './http/drain-body.ts';
import type { NotFound } from './not-found.ts';
import { type Described, type DescribedTopic, buildOpenApi } from './openapi/openapi.ts';
import { parseKnown } from './parse-known.ts';
import type { ResponseCache } from './response-cache.ts';
import { type RestApi, apiAt, type Identities, tenantNamed } from './rest-api.ts';
import {
  type Bytes,
  byteRoute,
  isAdmin,
  isIdParam,
  listMethods,
  pathParams,
  type SignedSender,
  type RestRequest,
} from './route.ts';
import { answerStreamedList } from './streamed-list.ts';
import { unknownParameters } from './unknown-names.ts';

declare module 'fastify' {
  interface FastifyRequest {
    session: Pick<Session, 'context'> | null;
    verifySignature: ((body: Buffer) => SignedSender) | null;
  }
}

export interface RestOptions {
  graph: Graph;
  schema: GraphQLSchema;
  services: Services;
  apis: readonly RestApi[];
  identities: Identities;
  /** Bytes of an uploaded file; all other bodies have the server's limit. */
  uploadLimit: number;
  /** The inputs of OpenAPI in addition to the routes. */
  topics: readonly DescribedTopic[];
  tenantSchemas: ReadTenantSchemas;
  responseCache: ResponseCache;
  notFound: NotFound;
}

/** An API being mounted, with the dependencies of its routes. */
interface Mounting extends RestOptions {
  api: RestApi;
  identify: Identify;
}

/** Mounts every API at its prefixes. Throws when a route of one API belongs to the URLs of another. */
export async function mountRest(app: FastifyInstance, options: RestOptions): Promise<void> {
  for (const api of options.apis) {
    const identify = api.credentials?.open(options) ?? (async () => nobody);
    await mountApi(app, { ...options, api, identify });
  }
}

async function mountApi(app: FastifyInstance, mounting: Mounting): Promise<void> {
  const { api, apis, schema, topics } = mounting;
  const rows = compileRoutes(schema, api);
  const description = api.openApi ? [descriptionRoute({ schema, api, rows, topics }, mounting.tenantSchemas)] : [];
  for (const [index, { prefix, below }] of api.mounts.entries()) {
    const served = below === undefined ? rows : rows.filter(({ path }) => path.startsWith(`${below}/`));
    const all = index === 0 ? [...served, ...description] : served;
    for (const { path } of all) {
      const owner = apiAt(apis, prefix + path);
      if (owner !== api)
        throw new Error(`${prefix}${path} of the ${api.name} API belongs to the routes of the ${owner?.name} API.`);
    }
    await app.register(async (scope) => serve(scope, all, mounting), { prefix });
  }
}

const keptDescriptions = 100;

/**
 * The API's OpenAPI description, with the schemas of the caller's tenant. Building one takes 100 ms, so it is cached by the tenant's
 * definitions, which are read with each request: a change in any process is visible immediately.
 */
function descriptionRoute(described: Described, readSchemas: ReadTenantSchemas): MountedRoute {
  const kept = new Map<string, string>();
  const route = mountBytes(
    byteRoute({
      method: 'GET',
      path: '/openapi.json',
      name: 'getOpenApi',
      tag: { name: 'OpenAPI', description: 'This description.' },
      summary: 'This description.',
      access: { scopes: described.api.openApi?.scopes ?? null },
      answers: {
        status: 200,
        description: 'OpenAPI 3.1.',
        content: { 'application/json': { schema: { type: 'object' } } },
      },
      async answer(_request, { deps, tenant }) {
        const schemas = tenant ? await readSchemas(deps, tenant.id) : {};
        const key = JSON.stringify(schemas);
        const content = kept.get(key) ?? JSON.stringify(buildOpenApi({ ...described, rows: listed }, schemas));
        kept.delete(key);
        if (kept.size >= keptDescriptions) kept.delete(kept.keys().next().value as string);
        kept.set(key, content);
        return { type: 'application/json; charset=utf-8', content };
      },
    }),
  );
  const listed = described.api.openApi?.describesItself ? [...described.rows, route] : described.rows;
  return route;
}

function serve(scope: FastifyInstance, rows: MountedRoute[], mounting: Mounting): void {
  const { api } = mounting;
  scope.decorateRequest('session', null);
  scope.decorateRequest('verifySignature', null);
  scope.setErrorHandler((error, request, reply) =>
    sendAnswer(reply, answerToFault(api, error, { log: request.log as Incoming['log'], requestId: request.id })),
  );
  scope.addHook('onResponse', ({ raw }, _reply, done) => {
    drainBody(raw);
    done();
  });
  // Fastify refuses invalid content types such as `json`, which senders of webhooks use.
  scope.addHook('onRequest', (request, _reply, done) => {
    if (request.mediaType === undefined) delete request.headers['content-type'];
    done();
  });
  // The route reads the body whatever its content type; if JSON is expected, any other content is malformed.
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  for (const row of rows.filter((each) => !isStreamed(each))) serveRow(scope, row, mounting);
  scope.register(async (streams) => {
    streams.removeAllContentTypeParsers();
    streams.addContentTypeParser('*', (_request, stream, done) => done(null, stream));
    for (const row of rows.filter(isStreamed)) serveRow(streams, row, mounting);
  });
  for (const [path, siblings] of Map.groupBy(rows, (row) => row.path)) {
    const head = siblings.some(answersHead) ? ['HEAD'] : [];
    mounting.notFound.refuseOtherMethods(scope, api, path, [...siblings.flatMap(listMethods), ...head]);
  }
}

function answerToFault(api: RestApi, error: unknown, incoming: Pick<Incoming, 'log' | 'requestId'>): Answer {
  const known = toRefusal(error);
  return refusalAnswer(api, known ?? toRefusal(mask(error, incoming)) ?? serverError);
}

const isStreamed = ({ body }: MountedRoute): boolean => body?.takes === 'stream';

// HEAD is served wherever GET is, except where GET has an effect or means the same as POST: HEAD would have the effect too.
const answersHead = (row: MountedRoute): boolean =>
  row.method === 'GET' && (!('operation' in row) || row.operation.kind === 'query');

function serveRow(scope: FastifyInstance, row: MountedRoute, mounting: Mounting): void {
  const { graph, services, api, uploadLimit } = mounting;
  const { access } = row;
  const ids = pathParams(row.path).filter(isIdParam);
  // In an API without credentials nobody is identified or counted, so the graph's plugins have nothing to do.
  const isOpen = api.credentials === null && 'answer' in row;
  const enter = async (request: FastifyRequest, sender?: Caller): Promise<Pick<Session, 'context'>> => {
    const incoming = readIncoming(request, row, mounting);
    if (isOpen) return { context: createContext(services, incoming, nobody) };
    const session = await openSession(graph, sender ? { ...incoming, identify: async () => sender } : incoming);
    if (access.scopes) assertAccess(session.context, access.scopes);
    return session;
  };
  scope.route({
    method: [...listMethods(row)],
    url: fastifyPath(row.path),
    exposeHeadRoute: answersHead(row),
    // Before the body is read, so that bodies of unknown callers are not parsed.
    async onRequest(request) {
      const params = request.params as Record<string, string>;
      const { headers } = request;
      if ('signatureAuth' in row)
        request.verifySignature =
          (await row.signatureAuth?.({ params, headers, query: parseQuery(request) }, services)) ?? null;
      if (!request.verifySignature) request.session = await enter(request);
      access.link?.(params, request.query as object, services);
    },
    async handler(request, reply) {
      const params = request.params as Record<string, string>;
      const sender = request.verifySignature?.((request.body as Buffer | undefined) ?? noBytes);
      request.session ??= await enter(request, sender?.caller);
      if (ids.some((name) => !/^\d{1,19}$/.test(params[name] ?? ''))) throw new NotFoundError();
      const asked: RestRequest = {
        method: request.method,
        params,
        headers: sender?.headers ?? request.headers,
        idempotencyKey: sender?.idempotencyKey ?? null,
        query: readQuery(row, request),
        body: await readBody(row, request, uploadLimit),
      };
      const { session } = request;
      const answer =
        'operation' in row
          ? await answerDocument(api, row, asked, session as Session)
          : { status: row.answers.status, ...(await row.answer(asked, session.context)) };
      if (!('operation' in row) && row.method !== 'GET') noteWrite(session.context);
      cacheResponse(request, row, session.context, answer, mounting);
      // A mutation may return a new secret. No byte route does, and a cached response is sent again as it was.
      const mayCompress = 'operation' in row ? row.operation.kind === 'query' : answer.cached === undefined;
      return sendAnswer(reply, answer, { mayCompress });
    },
  });
}

function readIncoming(
  request: FastifyRequest,
  row: MountedRoute,
  { api, identify, responseCache }: Mounting,
): Incoming {
  const { headers, raw } = request;
  const { rateBudget } = api;
  return {
    requestId: request.id,
    sentId: readRequestId(headers),
    ...readAfterHeaders(request),
    trace: request.trace,
    log: request.log as Incoming['log'],
    async identify() {
      // Public routes ignore credentials, even invalid ones.
      if (row.access.scopes === null) return nobody;
      responseCache.throwFailure(raw);
      return identify(headers, tenantNamed(headers, api), { address: request.ip });
    },
    rateBudget,
    channel: 'api',
    audience: isAdmin(row) ? 'admin' : 'public',
  };
}

function cacheResponse(
  { raw, routeOptions: { url: route = '' } }: FastifyRequest,
  { access: { scopes } }: MountedRoute,
  caller: Caller,
  { cached, type, headers }: Bytes,
  { responseCache, api, identify }: Mounting,
): void {
  const { tenant } = caller;
  if (!cached || !tenant || !scopes || type === undefined || api.rateBudget(caller) !== null) return;
  responseCache.store(raw, {
    response: cached,
    route,
    headers: { vary: 'Origin', 'content-type': type, ...headers },
    tenantId: tenant.id,
    scopes,
    identify: ({ headers: its, socket }) =>
      identify(its, tenantNamed(its, api), { anew: true, address: socket.remoteAddress }),
  });
}

async function answerDocument(
  api: RestApi,
  row: MountedDocument,
  asked: RestRequest,
  session: Session,
): Promise<Answer> {
  const { reply, streamedList } = row;
  const location = row.redirect?.(asked, session.context) ?? null;
  if (location !== null) return { status: 303, headers: { location, 'cache-control': 'no-store' } };
  const variables = row.variables?.(asked);
  if (streamedList)
    return answerStreamedList(streamedList, (page) => session.run(row.operation, { ...variables, ...page }));
  const found = row.resolve ? await row.resolve(asked, session.context) : await session.run(row.operation, variables);
  if (found === null) throw new NotFoundError();
  if (isFailure(found)) return refusalAnswer(api, refusalOfFailure(found));
  const body = reply.body(found, asked.query, asked.body);
  const status = reply.httpStatus?.(found, asked.body) ?? reply.status;
  return jsonAnswer(status, body, reply.replyHeaders?.(found), reply.write);
}

const noBytes = Buffer.alloc(0);

function readBody({ body, resource }: MountedRoute, request: FastifyRequest, uploadLimit: number): unknown {
  const type = request.headers['content-type'] ?? '';
  if (body?.takes === 'stream') return body.read(request.raw, type, sizeLimit(body, request.server, uploadLimit));
  const raw = (request.body as Buffer | undefined) ?? noBytes;
  // The body of a DELETE or a GET has no meaning.
  const mayHaveBody = request.method === 'POST' || request.method === 'PUT' || request.method === 'PATCH';
  return body || !mayHaveBody ? body?.read(raw, type, resource) : readNoBody(raw, type);
}

/** The limit in bytes for a body that is read as a stream. */
const sizeLimit = (
  { within }: { within?: 'json' },
  { initialConfig: { bodyLimit } }: FastifyInstance,
  uploadLimit: number,
): number => (within === 'json' && bodyLimit !== undefined ? bodyLimit : uploadLimit);

const queryLimits = { depth: 1, parameterLimit: 100, arrayLimit: 100, ignoreQueryPrefix: true };

/** Parameters of a signed link; the link's own check reads them. */
const linkParameters = ['expires', 'signature'];

const noParameters = z.object({});

function readQuery({ query = noParameters, access: { link } }: MountedRoute, request: FastifyRequest): unknown {
  const sent = parseQuery(request);
  return parseKnown(query, sent, unknownParameters(query, sent, link && linkParameters));
}

/** The query string as `qs` reads it: `status[]=failed&status[]=running` is a list. */
function parseQuery(request: FastifyRequest): object {
  const url = request.raw.url ?? '';
  const start = url.indexOf('?');
  return start < 0 ? {} : qs.parse(url.slice(start), queryLimits);
}
