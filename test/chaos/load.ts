import { setTimeout as delay } from 'node:timers/promises';

export interface Answer {
  /** The number the request carried. */
  n: number;
  /** 0 when there was no answer: the connection was refused or broke. */
  status: number;
  body: Record<string, unknown> | undefined;
  requestId: string | null;
  at: number;
  /** What became of a request without an answer. */
  fault?: string;
}

/** Fires webhooks from `clients` at a time, each numbered, until told to stop. */
export function startLoad(options: {
  url: string;
  handles: string[];
  headers: Record<string, string>;
  clients: number;
  pauseMs?: number;
}): { answers: Answer[]; stop(): Promise<void> } {
  const answers: Answer[] = [];
  let stopping = false;
  let next = 0;
  const client = async (): Promise<void> => {
    while (!stopping) {
      next += 1;
      answers.push(await send(next));
      await delay(options.pauseMs ?? 5);
    }
  };
  const send = async (n: number): Promise<Answer> => {
    const at = Date.now();
    try {
      const response = await fetch(`${options.url}/api/v1/webhooks/${options.handles[n % options.handles.length]}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...options.headers },
        body: JSON.stringify({ n }),
        signal: AbortSignal.timeout(30_000),
      });
      const body = (await response.json()) as Answer['body'];
      return { n, status: response.status, body, requestId: response.headers.get('x-request-id'), at };
    } catch (error) {
      const cause = error instanceof Error ? (error.cause as { code?: string } | undefined) : undefined;
      return { n, status: 0, body: undefined, requestId: null, at, fault: cause?.code ?? String(error) };
    }
  };
  const clients = Array.from({ length: options.clients }, client);
  return {
    answers,
    async stop() {
      stopping = true;
      await Promise.all(clients);
    },
  };
}

/** Run ids of what was accepted. */
export const acceptedRuns = (answers: Answer[]): number[] =>
  answers.flatMap(({ status, body }) =>
    status === 202 && typeof body?.['run_id'] === 'number' ? [body['run_id']] : [],
  );
