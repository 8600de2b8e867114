import { hash, randomUUID } from 'node:crypto';

/** Identifies a span of a distributed trace; what happens next names it as its parent. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
  /** Whether spans of the trace are recorded. */
  isSampled: boolean;
}

// Later versions of the header may append members, which are ignored.
const pattern = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const noTrace = '0'.repeat(32);
const noSpan = '0'.repeat(16);
const longest = 512;

/** Reads the header `traceparent` of W3C Trace Context; undefined if it is absent or not valid. */
export function readTraceparent(text: unknown): TraceContext | undefined {
  if (typeof text !== 'string' || text.length > longest) return undefined;
  const [, version, traceId, spanId, flags, more] = pattern.exec(text) ?? [];
  if (!traceId || !spanId || !flags || traceId === noTrace || spanId === noSpan) return undefined;
  if (version === '00' && more !== undefined) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export const writeTraceparent = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;

// A UUID costs a tenth of as many random bytes.
export const newTraceId = (): string => randomUUID().replaceAll('-', '');
export const newSpanId = (): string => `${randomUUID().slice(0, 8)}${randomUUID().slice(-8)}`;

/**
 * A span of the same trace. Its id is a hash of the trace and of `what`, so that every process gives the same work the same id.
 */
export function derivedSpan(trace: TraceContext, ...what: (string | number)[]): TraceContext {
  return { ...trace, spanId: hash('sha256', JSON.stringify([trace.traceId, ...what])).slice(0, 16) };
}
