/** Every bound of the sandbox. Sizes of text are in UTF-16 code units (`string.length`), times in milliseconds. */
export type RuntimeLimits = {
  /** Heap of one isolate; V8 may overshoot by a small factor before it stops the code. */
  memoryMiB: number;
  /** Resident memory of a whole child, looked at every 100 ms on Linux. */
  childMemoryMiB: number;
  /** Ceiling for an execution's own `timeoutMs`. */
  maxTimeoutMs: number;
  /** Processor time of one execution. */
  maxCpuMs: number;
  /** How long cancelled code may run on to see `ctx.signal`. */
  cancelGraceMs: number;
  /** Time beyond an execution's own for the child to say that it stopped it; then the child is killed. */
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
  /** One child per tenant; an idle one makes room, a busy one is drained after its tenure when others wait. */
  maxChildren: number;
  childTenureMs: number;
  idleChildMs: number;
  startTimeoutMs: number;
  maxBackoffMs: number;
  maxInFlightPerChild: number;
  maxQueuedPerTenant: number;
  queueTimeoutMs: number;
  /** Warm isolates kept in a child without work, and for how long. Fewer than run at a time means making them anew. */
  maxIdleIsolates: number;
  idleIsolateMs: number;
  /** An isolate is replaced after so many executions, so that nothing in it can pile up. */
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
