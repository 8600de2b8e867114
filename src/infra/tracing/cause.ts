import { readTraceparent, type TraceContext, writeTraceparent } from './trace-context.ts';

/** The request that an action belongs to. It is stored with whatever the action makes, and passed on to what follows from that. */
export interface Cause {
  /** Its place in a distributed trace; absent if it is not traced. */
  trace?: TraceContext | undefined;
  /** The id that the sender gave the request; absent if it gave none. */
  requestId?: string | undefined;
}

/** A cause as columns and the metadata of events hold it: the header `traceparent` of W3C Trace Context, and the header `X-Request-Id`. */
export interface StoredCause {
  traceparent: string | null | undefined;
  request_id: string | null | undefined;
}

export function readCause({ traceparent, request_id: requestId }: Partial<Record<keyof StoredCause, unknown>>): Cause {
  const trace = readTraceparent(traceparent);
  return { ...(trace && { trace }), ...(typeof requestId === 'string' && { requestId }) };
}

/** Without the members that the cause lacks. */
export const writeCause = ({ trace, requestId }: Cause): Partial<Record<keyof StoredCause, string>> => ({
  ...(trace && { traceparent: writeTraceparent(trace) }),
  ...(requestId !== undefined && { request_id: requestId }),
});
