import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { ObserveRequest } from '#src/infra/observe-request.ts';
import type { Answer } from './answer.ts';
import { drainBody } from './drain-body.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A route for anyone, whose path ends with its only parameter. */
export interface RouteAhead {
  method: string;
  /** Its path up to the parameter: `/in/`. */
  space: string;
  /** Its pattern, for the metrics. */
  route: string;
  answer: (request: IncomingMessage, param: string) => Promise<Answer>;
  /** The answer to a request that `answer` refused. */
  refuse: (error: unknown, incoming: { log: Logger; requestId: string }) => Answer;
}

/** Routes that are answered before the application sees the request. */
export interface Ahead {
  serve(route: RouteAhead): void;
  /** Answers their requests, and hands all others on. */
  before(handler: Handler): Handler;
}

/**
 * Routing, hooks, parsers and loggers of the application take as long as to verify and store a call (docs/decisions/calls-go-ahead.md).
 * Requests with anything for which it has rules are left to it: a query, escapes in the path, a page's origin, an unusual content type.
 */
export function createAhead(observe: ObserveRequest, log: Logger): Ahead {
  const routes = new Map<string, RouteAhead>();

  async function answer(found: RouteAhead, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const started = performance.now();
    const requestId = randomUUID();
    const { status, headers, type, content } = await found
      .answer(request, paramOf(request, found))
      .catch((error: unknown) => found.refuse(error, { log: log.child({ reqId: requestId }), requestId }));
    const body = content as string | Buffer;
    response.writeHead(status, {
      vary: 'Origin',
      'x-request-id': requestId,
      'content-type': type,
      'content-length': Buffer.byteLength(body),
      ...headers,
    });
    response.end(body);
    drainBody(request);
    observe({ method: found.method, route: found.route, status }, performance.now() - started);
  }

  function find(request: IncomingMessage): RouteAhead | undefined {
    const { method, url = '', headers } = request;
    const found = routes.get(url.slice(0, url.indexOf('/', 1) + 1));
    const isTheirs = found && method === found.method && isPlain.test(paramOf(request, found));
    return isTheirs && headers.origin === undefined && isUsual.test(headers['content-type'] ?? '') ? found : undefined;
  }

  return {
    serve(route) {
      routes.set(route.space, route);
    },
    before: (handler) => (request, response) => {
      const found = find(request);
      if (found) void answer(found, request, response);
      else handler(request, response);
    },
  };
}

const isPlain = /^[\w-]+$/;
const isUsual = /^([\w-]+\/[\w.+-]+(; ?charset=[\w-]+)?)?$/;
const paramOf = ({ url = '' }: IncomingMessage, { space }: RouteAhead): string => url.slice(space.length);
