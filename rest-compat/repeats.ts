import { hash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import { hasAccess } from '#src/graphql/access.ts';
import { tenantHeader } from '#src/identity/bearer.ts';
import { type Identify, keyHeader, keyTenantHeader } from '#src/identity/caller.ts';
import type { ObserveRequest } from '#src/infra/observe-request.ts';
import { readLeaseMs } from '#src/infra/read-leases.ts';
import type { Scopes } from './execute.ts';
import type { Again } from './route.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** An answer that may be given again, and to whom. */
export interface Repeatable {
  again: Again;
  /** All that every repeat has. */
  headers: Readonly<Record<string, string>>;
  route: string;
  tenantId: string;
  /** Finds the caller as the route's face does, by nothing but the headers that tell requests apart here. */
  identify: (request: IncomingMessage) => ReturnType<Identify>;
  scopes: Scopes;
}

/** Requests whose URL was answered before, to the same credentials in the same tenant. */
export interface Repeats {
  keep(request: IncomingMessage, repeatable: Repeatable): void;
  /** Answers repeats, and hands all other requests on. */
  before(handler: Handler): Handler;
  /** Throws why the check of a request failed, if it did: the application need not find out again, nor wait for an outage twice. */
  throwFailure(request: IncomingMessage): void;
}

interface Kept extends Omit<Repeatable, 'headers'> {
  /** Names and values in turn, which `node:http` writes as they are. */
  headers: string[];
  labels: { method: string; route: string; status: number };
  /** Until when, in `performance.now()`, the last check of key and pin stands for others. */
  until: number;
  isChecking: boolean;
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
  const kept = new LRUCache<string, Kept>({ maxSize: mostKept, sizeCalculation: (_, key) => sizeOf(key) });
  /** The first segments of their URLs, so that other requests are not looked for. */
  const spaces = new Set<string>();
  const failures = new WeakMap<IncomingMessage, unknown>();

  function find(request: IncomingMessage): Kept | undefined {
    if (request.method !== 'GET' || !spaces.has(spaceOf(request))) return undefined;
    const { origin, 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    return (origin ?? length ?? encoding) === undefined ? kept.get(keyOf(request)) : undefined;
  }

  function send(response: ServerResponse, { headers, labels }: Kept, content: Buffer, started: number): void {
    const own = ['content-length', String(content.length), 'x-request-id', randomUUID()];
    response.writeHead(200, headers.concat(own)).end(content);
    observe(labels, performance.now() - started);
  }

  return {
    keep(request, { headers, ...repeatable }) {
      spaces.add(spaceOf(request));
      kept.set(keyOf(request), {
        ...repeatable,
        headers: Object.entries(headers).flat(),
        labels: { method: 'GET', route: repeatable.route, status: 200 },
        until: 0,
        isChecking: false,
      });
    },
    before: (handler) => (request, response) => {
      const found = find(request);
      if (!found) return handler(request, response);
      const started = performance.now();
      if (started < found.until) {
        const content = found.again.content();
        if (!content) return handler(request, response);
        send(response, found, content, started);
        // Before it is over, so that callers in numbers do not wait for the next.
        if (started > found.until - readLeaseMs / 2 && !found.isChecking) check(request, found).catch(() => undefined);
        return undefined;
      }
      check(request, found).then(
        (isGood) => {
          const content = isGood ? found.again.content() : null;
          if (content) send(response, found, content, started);
          else handler(request, response);
        },
        (failure: unknown) => {
          failures.set(request, failure);
          handler(request, response);
        },
      );
    },
    throwFailure(request) {
      if (failures.has(request)) throw failures.get(request);
    },
  };
}

const spaceOf = ({ url = '' }: IncomingMessage): string => url.slice(0, url.indexOf('/', 1));

/** The headers by which callers are identified, as `node:http` writes their names. */
const identifying = [keyHeader, keyTenantHeader, 'Authorization', tenantHeader].map((name) => name.toLowerCase());

/** A request is told apart by its URL, by who says to ask, and by the tenant it names. No URL and no header has a line break. */
const keyOf = (request: IncomingMessage): string => `${request.url}\n${callerOf(request)}`;

const lastCallers = new WeakMap<Socket, { text: string; hashed: string }>();

/**
 * A hash of who says to ask, as answers are kept for longer than credentials may be. It is made once for a connection, since most send the
 * same with each request.
 */
function callerOf({ headers, socket }: IncomingMessage): string {
  let text = '';
  for (const name of identifying) text += `${String(headers[name] ?? '')}\n`;
  const last = lastCallers.get(socket);
  if (last?.text === text) return last.hashed;
  const hashed = hash('sha256', text, 'base64');
  lastCallers.set(socket, { text, hashed });
  return hashed;
}

/** Whether the caller may still have it, and it is still what it was. Good for as long as a read is leased. */
async function check(request: IncomingMessage, found: Kept): Promise<boolean> {
  const began = performance.now();
  found.isChecking = true;
  try {
    const [{ tenant, viewer }, isSame] = await Promise.all([found.identify(request), found.again.isSame()]);
    const isGood = isSame && tenant?.id === found.tenantId && hasAccess({ tenant, viewer }, found.scopes);
    const validMs = (viewer?.expiresAt ?? 0) - Date.now();
    if (isGood) found.until = Math.max(found.until, began + Math.min(readLeaseMs, validMs));
    return isGood;
  } finally {
    found.isChecking = false;
  }
}
