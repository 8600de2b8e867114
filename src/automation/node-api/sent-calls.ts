import type { Egress } from '#src/infra/egress/egress.ts';
import { answerClass, observations } from '#src/infra/observations/observations.ts';
import { type TraceContext, writeTraceparent } from '#src/infra/tracing/trace-context.ts';
import type { Tracing } from '#src/infra/tracing/tracing.ts';

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

/** The step in whose trace requests are shown. */
export interface CallTrace {
  tracing: Tracing;
  step: TraceContext;
}

/** The requests of one attempt at a step. */
export interface CallLog {
  calls: SentCall[];
  trace?: CallTrace | undefined;
  /** The id of the request that started the run; absent if its sender gave none. */
  requestId?: string | undefined;
}

type Asked = Parameters<Egress['request']>[0];

/** Sends a request, with its place in the trace and the id of the request that caused it, and adds it to the log unless that has `maxCalls` already. */
export async function sendNoted(
  egress: Pick<Egress, 'request'>,
  { calls, trace, requestId }: CallLog,
  asked: Asked,
): ReturnType<Egress['request']> {
  const context = trace?.tracing.within(trace.step, 'call', calls.length);
  const headers = withCause(asked.headers, {
    ...(context && { traceparent: writeTraceparent(context) }),
    ...(requestId !== undefined && { 'x-request-id': requestId }),
  });
  const request = headers ? { ...asked, headers } : asked;
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
    observations.callSent.tell({ outcome: answerClass(call.status), ms: call.durationMs });
    if (trace && context) recordCallSpan(trace, context, call);
  }
}

function shownUrl(given: string | URL): string {
  const url = URL.parse(given);
  const shown = url ? `${url.origin}${url.pathname}` : (String(given).split(/[?#]/, 1)[0] ?? '');
  return shown.slice(0, maxUrlLength).toWellFormed().replaceAll('\0', '');
}

/** A node that sets such a header itself keeps its own. */
function withCause(headers: Asked['headers'], more: Readonly<Record<string, string>>) {
  const own = new Set(Object.keys(headers ?? {}).map((name) => name.toLowerCase()));
  const missing = Object.entries(more).filter(([name]) => !own.has(name));
  return missing.length === 0 ? headers : { ...headers, ...Object.fromEntries(missing) };
}

function recordCallSpan({ tracing, step }: CallTrace, context: TraceContext, call: SentCall): void {
  if (!tracing.isOn || !context.isSampled) return;
  const { method, url, status, error, durationMs, at } = call;
  const from = Date.parse(at);
  const { hostname, port } = URL.parse(url) ?? {};
  tracing.record({
    context,
    parentId: step.spanId,
    name: method,
    kind: 'client',
    from,
    to: from + (durationMs ?? 0),
    attributes: {
      'http.request.method': method,
      'http.response.status_code': status,
      'server.address': hostname,
      'server.port': port === undefined || port === '' ? undefined : Number(port),
    },
    error: error ?? (status !== null && status >= 400 ? String(status) : undefined),
  });
}
