import { newSpanId, newTraceId, readTraceparent, type TraceContext } from './trace-context.ts';
import type { Tracing } from './tracing.ts';

/**
 * The place of an HTTP request in a trace. The trace that its sender names is continued only if the sender has identified itself: anyone
 * else could make the traces of others unreadable. Its own span then links to the one of the sender.
 */
export class RequestTrace {
  readonly #sender: TraceContext | undefined;
  readonly #tracing: Tracing;
  #own: TraceContext | undefined;
  #isTrusted = false;

  constructor(tracing: Tracing, traceparent: unknown) {
    this.#sender = readTraceparent(traceparent);
    this.#tracing = tracing;
  }

  /** Continues the trace of the sender, which has identified itself. */
  trust(): void {
    if (this.#sender) this.#isTrusted = true;
  }

  /** The trace context for whatever the request causes; undefined if no span is recorded and no trusted sender named a trace. */
  get context(): TraceContext | undefined {
    if (!this.#tracing.isOn && !this.#isTrusted) return undefined;
    this.#own ??= this.#begin();
    return this.#own.isSampled || this.#isTrusted ? this.#own : undefined;
  }

  #begin(): TraceContext {
    if (this.#isTrusted && this.#sender) {
      const { traceId, spanId, isSampled } = this.#sender;
      // If no span is recorded for this request, its children get the sender's span as their parent.
      const isRecorded = isSampled && this.#tracing.isOn;
      return { traceId, spanId: isRecorded ? newSpanId() : spanId, isSampled };
    }
    const traceId = newTraceId();
    return { traceId, spanId: newSpanId(), isSampled: this.#tracing.samples(traceId) };
  }

  /** Records the span of the request, unless it caused nothing: a file of the console, for one. */
  end(labels: { method: string; route: string; status: number; requestId: string }, from: number, to: number): void {
    const context = this.#own;
    if (!context?.isSampled || !this.#tracing.isOn) return;
    const { method, route, status, requestId } = labels;
    this.#tracing.record({
      context,
      parentId: this.#isTrusted ? this.#sender?.spanId : undefined,
      name: `${method} ${route}`,
      kind: 'server',
      from,
      to,
      attributes: {
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status,
        'causeway.request_id': requestId,
      },
      ...(!this.#isTrusted && this.#sender && { links: [this.#sender] }),
      error: status >= 500 ? String(status) : undefined,
    });
  }
}
