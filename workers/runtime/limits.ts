/** Every bound of the sandbox. Sizes of text are in UTF-16 code units (`string.length`), times in milliseconds. */
export type RuntimeLimits = {
  /** Heap of one isolate; V8 may overshoot by a small factor before it stops the code. */
  memoryMiB: number;
  /** Resident memory of a whole child, checked every 100 ms on Linux. */
  childMemoryMiB: number;
  /** Ceiling for an execution's own `timeoutMs`. */
  maxTimeoutMs: number;
  /** Processor time of one execution, with what its synchronous calls take outside of its isolate. */
  maxCpuMs: number;
  /** How long cancelled code may keep running, to react to `ctx.signal`. */
  cancelGraceMs: number;
  /** Time after an execution's timeout for the child to report that it stopped it; then the child is killed. */
  answerGraceMs: number;
  maxInputChars: number;
  maxOutputChars: number;
  maxLogLines: number;
  maxLogLineChars: number;
  maxErrorChars: number;
  /** Broker calls of one execution: at a time, in total, and the size of one request or answer. */
  maxPendingCalls: number;
  maxCalls: number;
  maxCallChars: number;
  maxTimers: number;
  /** One child per tenant. When others wait, an idle child is killed, and a busy one is drained after its tenure. */
  maxChildren: number;
  childTenureMs: number;
  idleChildMs: number;
  startTimeoutMs: number;
  maxBackoffMs: number;
  maxInFlightPerChild: number;
  maxQueuedPerTenant: number;
  queueTimeoutMs: number;
  /** Idle isolates that a child keeps warm, and for how long. If more run at a time, the others are disposed of after use. */
  maxIdleIsolates: number;
  idleIsolateMs: number;
  /** An isolate is replaced after this many executions, which bounds what leaks in it. */
  maxExecutionsPerIsolate: number;
};

export const defaultLimits: RuntimeLimits = {
  memoryMiB: 128,
  childMemoryMiB: 1024,
  maxTimeoutMs: 30_000,
  maxCpuMs: 15_000,
  cancelGraceMs: 500,
  answerGraceMs: 2000,
  maxInputChars: 4 * 1024 * 1024,
  maxOutputChars: 2 * 1024 * 1024,
  maxLogLines: 1000,
  maxLogLineChars: 8 * 1024,
  maxErrorChars: 8 * 1024,
  maxPendingCalls: 32,
  maxCalls: 10_000,
  maxCallChars: 4 * 1024 * 1024,
  maxTimers: 1000,
  maxChildren: 8,
  childTenureMs: 2000,
  idleChildMs: 60_000,
  startTimeoutMs: 10_000,
  maxBackoffMs: 10_000,
  maxInFlightPerChild: 16,
  maxQueuedPerTenant: 1000,
  queueTimeoutMs: 30_000,
  maxIdleIsolates: 16,
  idleIsolateMs: 20_000,
  maxExecutionsPerIsolate: 200,
};
