import type { TraceContext } from './trace-context.ts';

/** A unit of work that has ended. */
export interface EndedSpan {
  /** Its own place in the trace. */
  context: TraceContext;
  /** The span within which it happened; absent for the first of a trace. */
  parentId?: string | undefined;
  /** A short name with few values, such as `step`; what differs is in the attributes. */
  name: string;
  kind: 'server' | 'client' | 'producer' | 'internal';
  /** Epoch milliseconds. */
  from: number;
  /** Epoch milliseconds. */
  to: number;
  /** Ids, names and codes. Never a body, a header or a secret. */
  attributes: Readonly<Record<string, string | number | boolean | null | undefined>>;
  /** Spans of other traces that have to do with it. */
  links?: readonly TraceContext[];
  /** Why it failed, as a code; absent if it did not. */
  error?: string | undefined;
}

/** Where this process sends its spans. */
export interface Tracing {
  /** False where spans are recorded nowhere. */
  isOn: boolean;
  /**
   * The context of a child span. Its id is a hash of the trace and of `what`, which names the work (such as a run, a path and an attempt), so
   * that a process that takes over after a crash gives the same work the same span. Returns the parent if no spans are recorded.
   */
  within(parent: TraceContext, ...what: (string | number)[]): TraceContext;
  /** Whether a trace that begins here is recorded. */
  samples(traceId: string): boolean;
  /** Hands over a span; it waits for nothing. Call it only for a context that is sampled. */
  record(span: EndedSpan): void;
  /** Sends what is left, within two seconds. */
  close(): Promise<void>;
}

/** Tracing that is off: traces of callers pass through to those who are called, and no span is made. */
export const noTracing: Tracing = {
  isOn: false,
  within: (parent) => parent,
  samples: () => false,
  record: () => undefined,
  close: () => Promise.resolve(),
};
