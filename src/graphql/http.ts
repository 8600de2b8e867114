import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type DocumentNode, type ExecutionResult, getOperationAST, GraphQLError, OperationTypeNode } from 'graphql';
import { processRegularResult } from 'graphql-yoga';
import { AppError, errorCodes } from '#src/infra/errors.ts';
import { sendCompressed } from '#src/infra/http/compression.ts';
import { exactNumbers } from '#src/infra/text/exact-numbers.ts';
import { assertUtf8Form, utf8Text } from '#src/infra/text/utf8.ts';
import type { Incoming } from './context.ts';
import { type Graph, graphqlPath } from './graph.ts';
import { batchLimit } from './plugins/use-document-limits.ts';

type ReadIncoming = (request: FastifyRequest) => Incoming;

/**
 * GraphQL over HTTP. Plain requests, which are nearly all, run through the graph's plugins here: Request and Response objects and their
 * streams would cost as much as the rest of a request for 50 rows (0.35 of 0.70 ms). Yoga handles everything else of the protocol (GET,
 * batches, streams, forms, GraphiQL).
 */
export async function serveGraphql(app: FastifyInstance, graph: Graph, readIncoming: ReadIncoming): Promise<void> {
  const streams = new Set<ServerResponse>();
  // Streams are cut, not completed: clients reconnect to a stream that was cut, and take a completed one for the end of a run.
  app.addHook('preClose', async () => streams.forEach((response) => response.destroy()));
  await app.register(async (scope) => {
    // Bodies are parsed below or by Yoga; Fastify only bounds them.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
      const type = request.headers['content-type'];
      const text = utf8Text(body, type);
      if (formType.test(type ?? '')) assertUtf8Form(text);
      return /\bjson\b/i.test(type ?? '') ? exactNumbers(text) : text;
    });
    scope.setErrorHandler((error, request, reply) => answerFault(error, readIncoming(request), reply));
    scope.route({
      method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      url: graphqlPath,
      handler: async (request, reply) => {
        const plain = readPlain(request, graph);
        const answer = plain && (await answerPlain(graph, plain, readIncoming(request)));
        return answer ? send(reply, answer) : answerByYoga(graph, readIncoming(request), request, reply, streams);
      },
    });
  });
}

/** Errors of the HTTP server itself, for clients of both APIs: a body that is too large or incomplete. */
function answerFault(error: unknown, { log, requestId }: Incoming, reply: FastifyReply): FastifyReply {
  const status = (error as { statusCode?: number }).statusCode ?? 500;
  const code =
    error instanceof AppError
      ? error.code
      : status === 413
        ? 'PAYLOAD_TOO_LARGE'
        : status < 500
          ? 'BAD_REQUEST'
          : 'INTERNAL';
  if (code === 'INTERNAL') log.error({ err: error, requestId }, 'unexpected error');
  const { message } = error instanceof AppError ? error : errorCodes[code];
  return reply.code(errorCodes[code].status).send({ message, errors: [{ message, extensions: { code } }] });
}

interface PlainRequest {
  query: string;
  variables: Record<string, unknown> | undefined;
  operationName: string | undefined;
  mediaType: string;
}

interface Answer {
  /** Not a mutation, which may return a new secret. */
  isQuery: boolean;
  status: number;
  headers: Record<string, string>;
  body: string;
}

const formType = /^application\/x-www-form-urlencoded\b/i;
const jsonType = /^application\/json(; ?charset=utf-8)?$/i;

/** Undefined if Yoga must handle the request, including every refusal of a malformed one. */
function readPlain({ method, headers, body }: FastifyRequest, { ownHeaders }: Graph): PlainRequest | undefined {
  // No cross-site form can send these headers, so the check of Yoga's CSRF plugin is satisfied.
  const isOurs = headers.authorization || ownHeaders.some((name) => headers[name]);
  if (method !== 'POST' || !isOurs || !jsonType.test(headers['content-type'] ?? '')) return undefined;
  const mediaType = chooseMediaType(headers.accept);
  const params = mediaType === undefined ? undefined : readJson(body as string);
  if (mediaType === undefined || typeof params !== 'object' || params === null || Array.isArray(params))
    return undefined;
  const { query, variables, operationName, ...others } = params as Record<string, unknown>;
  const isPlain =
    typeof query === 'string' &&
    (variables == null || (typeof variables === 'object' && !Array.isArray(variables))) &&
    (operationName == null || typeof operationName === 'string') &&
    Object.keys(others).length === 0;
  if (!isPlain) return undefined;
  return {
    query,
    variables: (variables as Record<string, unknown> | null | undefined) ?? undefined,
    operationName: operationName ?? undefined,
    mediaType,
  };
}

/** The media type of the response: the first one accepted, JSON if any is; undefined for those that stream. */
function chooseMediaType(accept: string | undefined): string | undefined {
  if (accept === undefined || accept === '*/*') return 'application/json';
  if (accept.includes('charset')) return undefined;
  const first = accept.split(/[,;]/, 1)[0]?.trim().toLowerCase();
  if (first === '*/*') return 'application/json';
  return first === 'application/json' || first === 'application/graphql-response+json' ? first : undefined;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function answerPlain(graph: Graph, plain: PlainRequest, incoming: Incoming): Promise<Answer | undefined> {
  const { query, variables: variableValues, operationName, mediaType } = plain;
  const { schema, parse, validate, contextFactory, execute } = graph.getEnveloped({ incoming });
  let result: ExecutionResult;
  let isQuery = false;
  try {
    const document = parse(query) as DocumentNode;
    const operation = getOperationAST(document, operationName)?.operation;
    if (operation === undefined || operation === OperationTypeNode.SUBSCRIPTION) return undefined;
    isQuery = operation === OperationTypeNode.QUERY;
    const errors = validate(schema, document) as readonly GraphQLError[];
    result =
      errors.length > 0
        ? { errors }
        : await execute({ schema, document, contextValue: await contextFactory(), variableValues, operationName });
  } catch (error) {
    result = { errors: [toRefusal(error, incoming)] };
  }
  if (!result.errors && !result.extensions) {
    const headers = { 'content-type': `${mediaType}; charset=utf-8` };
    return { isQuery, status: 200, headers, body: JSON.stringify(result) };
  }
  // Yoga derives the status from the errors.
  const response = processRegularResult(result, graph.fetchAPI, mediaType);
  const headers = Object.fromEntries(response.headers);
  return { isQuery, status: response.status, headers, body: await response.text() };
}

/** The error of parsing or of a plugin. Plugins mask unexpected errors, so any other error is a bug of ours. */
function toRefusal(error: unknown, { log, requestId }: Incoming): GraphQLError {
  if (error instanceof GraphQLError) return error;
  log.error({ err: error, requestId }, 'unexpected error');
  return new GraphQLError(errorCodes.INTERNAL.message, { extensions: { code: 'INTERNAL', requestId } });
}

function send(reply: FastifyReply, { isQuery, status, headers, body }: Answer): FastifyReply {
  reply.code(status).headers(headers);
  return isQuery ? sendCompressed(reply, body) : reply.send(body);
}

const streamed = /^(text\/event-stream|multipart\/mixed)/;

/** Messages for refusals to which Yoga adds none. */
const messagesByStatus: Record<number, string> = {
  406: 'Accept application/json, application/graphql-response+json or text/event-stream.',
  415: 'Send the request as application/json.',
};

async function answerByYoga(
  graph: Graph,
  incoming: Incoming,
  request: FastifyRequest,
  reply: FastifyReply,
  streams: Set<ServerResponse>,
): Promise<FastifyReply> {
  const response = await graph.handleNodeRequestAndResponse(
    Object.assign(request.raw, { body: request.body }),
    reply.raw,
    { incoming },
  );
  const told = messagesByStatus[response.status];
  if (told) {
    const errors = [{ message: told, extensions: { code: 'BAD_REQUEST' } }];
    return reply.code(response.status).type('application/json; charset=utf-8').send(JSON.stringify({ errors }));
  }
  const isStream = streamed.test(response.headers.get('content-type') ?? '');
  if (isStream) {
    streams.add(reply.raw);
    reply.raw.once('close', () => streams.delete(reply.raw));
  }
  response.headers.forEach((value, key) => void reply.header(key, value));
  reply.code(response.status);
  // A mutation cannot be sent by GET, so no answer to one contains a new secret.
  const isQuery = request.method === 'GET' || isBatchOfQueries(graph, incoming, request.body);
  if (isQuery && !isStream) return sendCompressed(reply, await response.text());
  return reply.send(response.body ?? '');
}

/** The graph parsed each of these documents for this request, and keeps them. */
function isBatchOfQueries(graph: Graph, incoming: Incoming, body: unknown): boolean {
  const batch = typeof body === 'string' && body.trimStart().startsWith('[') ? readJson(body) : undefined;
  if (!Array.isArray(batch) || batch.length > batchLimit) return false;
  const { parse } = graph.getEnveloped({ incoming });
  try {
    return batch.every(({ query, operationName }: PlainRequest) => {
      const document = parse(query) as DocumentNode;
      return getOperationAST(document, operationName)?.operation === OperationTypeNode.QUERY;
    });
  } catch {
    return false;
  }
}
