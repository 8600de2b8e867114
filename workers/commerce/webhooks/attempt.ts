import { StringDecoder } from 'node:string_decoder';
import type { Deps } from '#src/infra/deps.ts';
import { EgressError } from '#src/infra/egress/errors.ts';
import type { EgressResponse } from '#src/infra/egress/request.ts';
import { answerClass, observations } from '#src/infra/observations/observations.ts';
import { webhookHeaders } from '#src/infra/signing/webhook-headers.ts';
import { readTraceparent, type TraceContext, writeTraceparent } from '#src/infra/tracing/trace-context.ts';
import type { Tracing } from '#src/infra/tracing/tracing.ts';
import { readRetryAfter } from './sending-rules.ts';
import type { SendingSettings } from './sending-settings.ts';
import type { DueDelivery } from './sending-statements.ts';

export interface Outcome {
  /** Null if nobody answered. */
  httpCode: number | null;
  error: string | null;
  response: string | null;
  retryAfterMs: number;
  durationMs: number;
  /** When it began, in epoch milliseconds. */
  atMs: number;
}

const timeoutMs = 15_000;
/** Bytes of a response that are kept. */
const keptBytes = 4 * 1024;
/** Bytes of a response that are read: more than are kept, so that a secret at the end of the excerpt is read completely and recognised. */
const excerptBytes = 2 * keptBytes;

/** Posts a delivery once. Every failure is an outcome. */
export async function attempt(
  { egress, redactor, log, tracing }: Pick<Deps, 'egress' | 'redactor' | 'log' | 'tracing'>,
  settings: SendingSettings,
  delivery: DueDelivery,
): Promise<Outcome> {
  const atMs = Date.now();
  const began = performance.now();
  const body = Buffer.from(delivery.body, 'utf8');
  const cause = readTraceparent(delivery.traceparent);
  const context = cause && tracing.within(cause, 'delivery', delivery.id, delivery.tries + 1);
  const ended = (outcome: Pick<Outcome, 'httpCode' | 'error' | 'response' | 'retryAfterMs'>): Outcome => {
    const durationMs = Math.round(performance.now() - began);
    observations.webhookSent.tell({ outcome: answerClass(outcome.httpCode), ms: durationMs });
    const { id: deliveryId, requestId, eventId } = delivery;
    if (requestId !== null) {
      const { httpCode, error } = outcome;
      log.info({ requestId, deliveryId, eventId, httpCode, error }, 'webhook sent');
    }
    if (cause && context) recordSpan(tracing, { cause, context }, delivery, { ...outcome, atMs, durationMs });
    return { ...outcome, atMs, durationMs };
  };
  try {
    const answer = await egress.request({
      method: 'POST',
      url: settings.url,
      headers: {
        ...buildHeaders(delivery, body, settings, atMs),
        ...(context && { traceparent: writeTraceparent(context) }),
      },
      body,
      timeoutMs,
      excerptBytes,
      secure: true,
    });
    const isRedirect = answer.status >= 300 && answer.status < 400;
    return ended({
      httpCode: answer.status,
      error: isRedirect ? 'Redirects are not followed; write the final address into the destination.' : null,
      response: shown(answer, redactor),
      retryAfterMs: readRetryAfter(answer.status, one(answer.headers['retry-after']), Date.now()),
    });
  } catch (error) {
    if (!(error instanceof EgressError))
      log.error({ err: error, deliveryId: delivery.id }, 'A webhook could not be sent.');
    const message = error instanceof EgressError ? error.message : 'It could not be sent; the log tells why.';
    return ended({ httpCode: null, error: redactor.text(message), response: null, retryAfterMs: 0 });
  }
}

function recordSpan(
  tracing: Tracing,
  { cause, context }: { cause: TraceContext; context: TraceContext },
  { id, topic, eventId, tries }: DueDelivery,
  { httpCode, error, atMs, durationMs }: Pick<Outcome, 'httpCode' | 'error' | 'atMs' | 'durationMs'>,
): void {
  if (!tracing.isOn || !context.isSampled) return;
  tracing.record({
    context,
    parentId: cause.spanId,
    name: 'delivery',
    kind: 'producer',
    from: atMs,
    to: atMs + durationMs,
    attributes: {
      'causeway.delivery': id,
      'causeway.event': eventId,
      'causeway.topic': topic,
      'causeway.attempt': tries + 1,
      'http.response.status_code': httpCode,
    },
    error: httpCode === null ? 'NO_ANSWER' : error !== null || httpCode >= 400 ? String(httpCode) : undefined,
  });
}

function buildHeaders(
  { eventId, topic }: DueDelivery,
  body: Buffer,
  { headers: own, secrets }: SendingSettings,
  atMs: number,
): Record<string, string | undefined> {
  const headers = webhookHeaders({ eventId, topic, body, atMs }, secrets);
  return Object.keys(own).length === 0 ? headers : { ...own, ...headers };
}

/** The excerpt as text that Postgres can store, without secrets that the receiver may have echoed. */
function shown({ body, headers }: EgressResponse, redactor: Deps['redactor']): string | null {
  if (body.length === 0) return null;
  const encoding = one(headers['content-encoding']) ?? 'identity';
  if (encoding !== 'identity') return `(encoded as ${encoding.slice(0, 50)}, not shown)`;
  const text = redactor.text(body.toString('utf8').replaceAll('\0', '\uFFFD'));
  if (Buffer.byteLength(text) <= keptBytes) return text;
  // Leaves out a character that is cut in the middle.
  return new StringDecoder('utf8').write(Buffer.from(text).subarray(0, keptBytes));
}

const one = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);
