import type { Egress } from '#src/infra/egress/egress.ts';

/** A request that a node sent to another system, with its outcome. */
export interface SentCall {
  method: string;
  /** Without the query and credentials, which often hold secrets. */
  url: string;
  /** Null while it is under way, and where nobody answered. */
  status: number | null;
  /** Why nobody answered: the code of the EgressError. */
  error: string | null;
  durationMs: number | null;
  /** ISO 8601. */
  at: string;
}

/** A node in a loop of its own may send thousands. */
export const maxCalls = 20;
const maxUrlLength = 500;

/** Sends a request, and adds it to `calls` unless they are `maxCalls` already. */
export async function sendNoted(
  egress: Pick<Egress, 'request'>,
  calls: SentCall[],
  request: Parameters<Egress['request']>[0],
): ReturnType<Egress['request']> {
  if (calls.length >= maxCalls) return egress.request(request);
  const began = performance.now();
  const call: SentCall = {
    method: (request.method ?? 'GET').toUpperCase().slice(0, 20),
    url: shownUrl(request.url),
    status: null,
    error: null,
    durationMs: null,
    at: new Date().toISOString(),
  };
  // Added before it is sent, because a step that is stopped is recorded without waiting for the answer.
  calls.push(call);
  try {
    const response = await egress.request(request);
    call.status = response.status;
    return response;
  } catch (error) {
    call.error = error instanceof Error && 'code' in error ? String(error.code) : 'failed';
    throw error;
  } finally {
    call.durationMs = Math.round(performance.now() - began);
  }
}

function shownUrl(given: string | URL): string {
  const url = URL.parse(given);
  const shown = url ? `${url.origin}${url.pathname}` : (String(given).split(/[?#]/, 1)[0] ?? '');
  return shown.slice(0, maxUrlLength).toWellFormed().replaceAll('\0', '');
}
