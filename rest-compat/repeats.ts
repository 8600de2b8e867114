import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import { hasAccess } from '#src/graphql/access.ts';
import { tenantHeader } from '#src/identity/bearer.ts';
import { headerText, type Identify, keyTenantHeader } from '#src/identity/caller.ts';
import type { ObserveRequest } from '#src/infra/observe-request.ts';
import type { Scopes } from './execute.ts';
import type { Bytes } from './route.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** An answer that may be given again, and to whom. */
export interface Repeatable {
  again: NonNullable<Bytes['again']>;
  /** All that every repeat has. */
  headers: Readonly<Record<string, string>>;
  route: string;
  tenantId: string;
  /** Finds the caller as the route's face does. */
  identify: (request: IncomingMessage) => ReturnType<Identify>;
  scopes: Scopes;
}

/** Requests whose URL was answered before for the tenant that they name. */
export interface Repeats {
  keep(request: IncomingMessage, repeatable: Repeatable): void;
  /** Answers repeats, and hands all other requests on. */
  before(handler: Handler): Handler;
}

/** Bytes of memory that the repeats of a process may take, and what one takes: its URL, its properties, and some functions. */
const mostKept = 32 * 1024 * 1024;
const sizeOf = (key: string): number => 2_048 + 4 * key.length;

/**
 * Repeats are answered before the application sees them, whose router, parsers and hooks take three times as long as to send a block
 * of 20 KiB (docs/decisions/blocks-are-repeated.md). Only good answers are given here. The application answers whatever is refused,
 * has a body, or comes from a page of another origin, so that there is one place for each of these.
 */
export function createRepeats(observe: ObserveRequest): Repeats {
  const kept = new LRUCache<string, Repeatable>({ maxSize: mostKept, sizeCalculation: (_, key) => sizeOf(key) });
  /** The first segments of their URLs, so that other requests are not looked for. */
  const spaces = new Set<string>();

  function find(request: IncomingMessage): Repeatable | undefined {
    if (request.method !== 'GET' || !spaces.has(spaceOf(request))) return undefined;
    const { origin, 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    return (origin ?? length ?? encoding) === undefined ? kept.get(keyOf(request)) : undefined;
  }

  return {
    keep(request, repeatable) {
      spaces.add(spaceOf(request));
      kept.set(keyOf(request), repeatable);
    },
    before: (handler) => (request, response) => {
      const found = find(request);
      if (!found) return handler(request, response);
      const started = performance.now();
      answerOf(request, found).then(
        (content) => {
          if (!content) return handler(request, response);
          const own = { 'content-length': content.length, 'x-request-id': randomUUID() };
          response.writeHead(200, { ...found.headers, ...own }).end(content);
          observe({ method: 'GET', route: found.route, status: 200 }, performance.now() - started);
        },
        () => handler(request, response),
      );
    },
  };
}

const spaceOf = ({ url = '' }: IncomingMessage): string => url.slice(0, url.indexOf('/', 1));

/** A request is told apart by its URL and by the tenant it names. */
const keyOf = ({ url = '', headers }: IncomingMessage): string =>
  `${headerText(headers, keyTenantHeader) ?? ''} ${headerText(headers, tenantHeader) ?? ''} ${url}`;

/** The content, unless the caller may not have it or something has changed. */
async function answerOf(request: IncomingMessage, found: Repeatable): ReturnType<Repeatable['again']> {
  const [caller, content] = await Promise.all([found.identify(request), found.again()]);
  return caller.tenant?.id === found.tenantId && hasAccess(caller, found.scopes) ? content : null;
}
