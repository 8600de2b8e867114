import { hash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import { hasAccess } from '#src/graphql/access.ts';
import { tenantHeader } from '#src/identity/bearer.ts';
import { type Identify, keyHeader, keyTenantHeader } from '#src/identity/caller.ts';
import type { ObserveRequest } from '#src/infra/http/observe-request.ts';
import { readRequestId, requestIdHeader } from '#src/infra/http/request-id.ts';
import { readLeaseMs } from '#src/infra/timing/read-leases.ts';
import type { Scopes } from './execute.ts';
import type { CachedResponse } from './route.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A response that may be sent again, and the access that it requires. */
export interface Cacheable {
  response: CachedResponse;
  /** Sent with every copy. */
  headers: Readonly<Record<string, string>>;
  route: string;
  tenantId: string;
  /** Identifies the caller like the route's API does, by no other headers than those that are part of the key. */
  identify: (request: IncomingMessage) => ReturnType<Identify>;
  scopes: Scopes;
}

/** Responses that are sent again for the same URL, credentials and tenant. */
export interface ResponseCache {
  store(request: IncomingMessage, cacheable: Cacheable): void;
  /** Sends cached responses, and passes all other requests to the application's handler. */
  preRouter(handler: Handler): Handler;
  /** Throws the error of a failed check: the application does not repeat the check, and does not wait for an outage twice. */
  throwFailure(request: IncomingMessage): void;
}

interface Entry extends Omit<Cacheable, 'headers'> {
  /** Alternating names and values, which `node:http` writes unchanged. */
  headers: string[];
  labels: { method: string; route: string; status: number };
  /** In `performance.now()`: until then the last check of key and pin is valid for other requests. */
  leasedUntil: number;
  isChecking: boolean;
}

/** Bytes of memory for the entries of a process, and the estimate for one: its URL, its properties, and some functions. */
const maxBytes = 32 * 1024 * 1024;
const entryBytes = (key: string): number => 2_048 + 4 * key.length;

/**
 * Cached responses are sent before Fastify sees the request, as its router, hooks and logger would miss the bench's reach
 * (docs/decisions/cached-blocks-bypass-fastify.md). Only good responses are sent here: Fastify answers refusals, requests with a body,
 * and pages of another origin.
 */
export function createResponseCache(observe: ObserveRequest): ResponseCache {
  const entries = new LRUCache<string, Entry>({ maxSize: maxBytes, sizeCalculation: (_, key) => entryBytes(key) });
  /** The first segments of cached URLs, so that no other request is looked up. */
  const prefixes = new Set<string>();
  const failures = new WeakMap<IncomingMessage, unknown>();

  function find(request: IncomingMessage): Entry | undefined {
    if (request.method !== 'GET' || !prefixes.has(urlPrefix(request))) return undefined;
    const { origin, 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    return (origin ?? length ?? encoding) === undefined ? entries.get(cacheKey(request)) : undefined;
  }

  function send(response: ServerResponse, { headers, labels }: Entry, content: Buffer, started: number): void {
    const id = readRequestId(response.req.headers) ?? randomUUID();
    const own = ['content-length', String(content.length), requestIdHeader, id];
    response.writeHead(200, headers.concat(own)).end(content);
    observe(labels, performance.now() - started);
  }

  return {
    store(request, { headers, ...cacheable }) {
      prefixes.add(urlPrefix(request));
      entries.set(cacheKey(request), {
        ...cacheable,
        headers: Object.entries(headers).flat(),
        labels: { method: 'GET', route: cacheable.route, status: 200 },
        leasedUntil: 0,
        isChecking: false,
      });
    },
    preRouter: (handler) => (request, response) => {
      const entry = find(request);
      if (!entry) return handler(request, response);
      const started = performance.now();
      const respond = (isGood: boolean): void => {
        const content = isGood ? entry.response.content() : null;
        if (content) send(response, entry, content, started);
        else handler(request, response);
      };
      if (started >= entry.leasedUntil) {
        return void check(request, entry).then(respond, (failure: unknown) => {
          failures.set(request, failure);
          handler(request, response);
        });
      }
      respond(true);
      // Renewed before it ends, so that concurrent requests do not wait for the check.
      if (started > entry.leasedUntil - readLeaseMs / 2 && !entry.isChecking)
        check(request, entry).catch(() => undefined);
    },
    throwFailure(request) {
      if (failures.has(request)) throw failures.get(request);
    },
  };
}

const urlPrefix = ({ url = '' }: IncomingMessage): string => url.slice(0, url.indexOf('/', 1));

/** The headers that identify a caller, as `node:http` writes their names. */
const identifying = [keyHeader, keyTenantHeader, 'Authorization', tenantHeader].map((name) => name.toLowerCase());

/** URL and credentials, neither of which can have a line break. Credentials are hashed, because entries may outlive them. */
function cacheKey({ url, headers }: IncomingMessage): string {
  let credentials = '';
  for (const name of identifying) credentials += `${String(headers[name] ?? '')}\n`;
  return `${url}\n${hash('sha256', credentials, 'base64')}`;
}

/** True if the caller may have the response and it is still fresh; holds for as long as a read is leased. */
async function check(request: IncomingMessage, entry: Entry): Promise<boolean> {
  const began = performance.now();
  entry.isChecking = true;
  try {
    const [{ tenant, viewer }, isFresh] = await Promise.all([entry.identify(request), entry.response.isFresh()]);
    const isGood = isFresh && tenant?.id === entry.tenantId && hasAccess({ tenant, viewer }, entry.scopes);
    const validMs = (viewer?.expiresAt ?? 0) - Date.now();
    if (isGood) entry.leasedUntil = Math.max(entry.leasedUntil, began + Math.min(readLeaseMs, validMs));
    return isGood;
  } finally {
    entry.isChecking = false;
  }
}
