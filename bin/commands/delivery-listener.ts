import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { verifyWebhook, WebhookError } from '@causeway/webhook-kit';
import { listenOn } from '#bin/listen-on.ts';

/** A received delivery. */
export interface Heard {
  at: string;
  id: string | null;
  topic: string | null;
  /** Null if no secret was given to verify with. */
  verified: boolean | null;
  /** Why it is not verified: a code of the webhook kit. */
  fault: string | null;
  /** The status of the response. */
  status: number;
  /** Parsed if it is JSON. */
  body: unknown;
}

export interface ListenerOptions {
  host: string;
  port: number;
  secret: string | undefined;
  /** The status of responses; by default 200, and 401 for a delivery that does not verify. */
  status: number | undefined;
  onDelivery: (heard: Heard) => void;
}

/** An event has at most 5 MB. */
const maxBody = 8 * 1024 * 1024;

/** Listens for deliveries until it is closed. Rejects if the port is not available. */
export async function listenForDeliveries(
  options: ListenerOptions,
): Promise<{ port: number; close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    void answer(request, options).then(
      (status) => response.writeHead(status, { connection: 'close' }).end(),
      // The sender closed the connection before the end of its body.
      () => response.destroy(),
    );
  });
  const port = await listenOn(server, options);
  return {
    port,
    async close() {
      server.close();
      await once(server, 'close');
    },
  };
}

async function answer(request: IncomingMessage, options: ListenerOptions): Promise<number> {
  if (request.method !== 'POST') return 405;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBody) return 413;
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  const fault = options.secret === undefined ? null : findFault(request, body, options.secret);
  const status = options.status ?? (fault === null ? 200 : 401);
  const verified = options.secret === undefined ? null : fault === null;
  const [id, topic] = ['x-platform-id', 'x-platform-topic'].map((name) => readHeader(request, name));
  const at = new Date().toISOString();
  options.onDelivery({ at, id: id ?? null, topic: topic ?? null, verified, fault, status, body: read(body) });
  return status;
}

function findFault({ headers }: IncomingMessage, body: Buffer, secret: string): string | null {
  try {
    verifyWebhook({ body, headers, secret });
    return null;
  } catch (error) {
    if (error instanceof WebhookError) return error.code;
    throw error;
  }
}

const readHeader = ({ headers }: IncomingMessage, name: string): string | null => {
  const value = headers[name];
  return typeof value === 'string' ? value : null;
};

function read(body: Buffer): unknown {
  const text = body.toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
