import { Agent, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

export interface Answer {
  /** The number the request carried. */
  n: number;
  /** 0 when there was no answer: the connection was refused or broke. */
  status: number;
  body: Record<string, unknown> | undefined;
  requestId: string | null;
  at: number;
  /** The fate of a request without a response. */
  fault?: string;
}

/** Fires webhooks from `clients` at a time, each numbered from the one after `after`, until told to stop. */
export function startLoad(options: {
  url: string;
  handles: string[];
  headers: Record<string, string>;
  clients: number;
  pauseMs: number;
  after?: number;
}): { answers: Answer[]; stop(): Promise<void> } {
  const answers: Answer[] = [];
  const stopping = new AbortController();
  let next = options.after ?? 0;
  const client = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      next += 1;
      answers.push(await send(next));
      await delay(options.pauseMs);
    }
  };
  const keepAlive = new Agent({ keepAlive: true });
  const send = (n: number): Promise<Answer> => {
    const at = Date.now();
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const target = `${options.url}/api/v1/webhooks/${options.handles[n % options.handles.length]}`;
    const outgoing = request(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...options.headers },
      // Every other request comes on a connection of its own.
      agent: n % 2 === 0 ? keepAlive : false,
      timeout: 30_000,
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) =>
      resolve({ n, status: 0, body: undefined, requestId: null, at, fault: error.code ?? error.message }),
    );
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer within 30 s')));
    outgoing.on('response', (response) => {
      json(response).then(
        (body) => {
          const requestId = String(response.headers['x-request-id'] ?? '');
          resolve({ n, status: response.statusCode ?? 0, body: body as Answer['body'], requestId, at });
        },
        (error: Error) => resolve({ n, status: 0, body: undefined, requestId: null, at, fault: error.message }),
      );
    });
    outgoing.end(JSON.stringify({ n }));
    return promise;
  };
  const clients = Array.from({ length: options.clients }, client);
  return {
    answers,
    async stop() {
      stopping.abort();
      await Promise.all(clients);
      keepAlive.destroy();
    },
  };
}

/** Run ids of what was accepted. */
export const acceptedRuns = (answers: Answer[]): number[] =>
  answers.flatMap(({ status, body }) =>
    status === 202 && typeof body?.['run_id'] === 'number' ? [body['run_id']] : [],
  );
