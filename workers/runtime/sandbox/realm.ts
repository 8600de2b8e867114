/**
 * Runs inside the isolate, once per context, before the node's code: its source text is what is injected, so it refers
 * to nothing outside itself. It shares the realm with hostile code that may replace any built-in, so it takes what it
 * needs first, reaches built-ins through those captures only, and keeps `post` in its closure: neither is ever a
 * property, an argument or a `this` that node code can see. Strict mode hides its frames from `Error.prepareStackTrace`.
 */
export type Post = (kind: string, a: string, b: string, c: string) => void;

export type RealmLimits = {
  logLines: number;
  logLineChars: number;
  errorChars: number;
  outputChars: number;
  pendingCalls: number;
  calls: number;
  callChars: number;
  timers: number;
};

/** The messages of the host: `start entry input`, `reply call ok|error json`, `timer id`, `abort message code`. */
export type Dispatch = (kind: string, a: string, b: string, c: string) => void;

type Settle = { resolve: (value: unknown) => void; reject: (error: unknown) => void };
type StateOptions = { version?: unknown; expectedVersion?: unknown; ttlSeconds?: unknown; ttl_seconds?: unknown };
type Timer = { callback: (...args: unknown[]) => unknown; args: unknown[] };

export function installRealm(post: Post, limits: RealmLimits): Dispatch {
  'use strict';
  const { parse, stringify } = JSON;
  const { create, defineProperty, freeze } = Object;
  const { apply } = Reflect;
  const { isFinite, floor } = { isFinite: Number.isFinite, floor: Math.floor };
  const { PromiseOf, StringOf, ErrorOf, TypeErrorOf, RangeErrorOf } = {
    PromiseOf: Promise,
    StringOf: String,
    ErrorOf: Error,
    TypeErrorOf: TypeError,
    RangeErrorOf: RangeError,
  };
  const { slice: sliceOf } = String.prototype as { slice: (this: void, end: number) => string };
  const slice = (text: string, end: number): string => apply(sliceOf as () => string, text, [0, end]);
  const dateNow = Date.now;
  const scope = globalThis as unknown as Record<string, unknown>;

  const provide = (name: string, value: unknown): void => {
    defineProperty(scope, name, { value, writable: true, enumerable: false, configurable: true });
  };

  // Shared memory and finalizers let code of one execution act in another's time; WebAssembly is attack surface.
  for (const name of ['SharedArrayBuffer', 'Atomics', 'WebAssembly', 'FinalizationRegistry']) delete scope[name];

  let settled = false;
  let started = false;

  function describe(thrown: unknown): { message: string; code?: string } {
    try {
      if (typeof thrown === 'string') return { message: slice(thrown, limits.errorChars) };
      if (thrown === null || (typeof thrown !== 'object' && typeof thrown !== 'function')) {
        return { message: `The node threw ${slice(StringOf(thrown), limits.errorChars)}.` };
      }
      const { message, code } = thrown as { message?: unknown; code?: unknown };
      const described: { message: string; code?: string } = {
        message: typeof message === 'string' && message !== '' ? slice(message, limits.errorChars) : textOf(thrown),
      };
      if (typeof code === 'string') described.code = slice(code, 100);
      return described;
    } catch {
      return { message: 'The node threw a value that cannot be read.' };
    }
  }

  function textOf(value: unknown): string {
    if (typeof value === 'string') return value;
    try {
      if (value instanceof ErrorOf) return slice(StringOf(value.stack ?? value.message), limits.logLineChars);
      const json = typeof value === 'object' ? stringify(value) : undefined;
      return typeof json === 'string' ? json : StringOf(value);
    } catch {
      return '[a value that cannot be read]';
    }
  }

  function fail(kind: string, error: { message: string; code?: string }): void {
    if (settled) return;
    settled = true;
    post('failed', kind, stringify(error), '');
  }

  function finish(value: unknown): void {
    if (settled) return;
    let json: string | undefined;
    try {
      json = stringify(value);
    } catch (error) {
      fail('invalid_result', { message: `The result is not JSON: ${describe(error).message}` });
      return;
    }
    if (settled) return;
    if (json === undefined && value !== undefined) {
      fail('invalid_result', { message: `The result is not JSON: it is a ${typeof value}.` });
    } else if (json !== undefined && json.length > limits.outputChars) {
      fail('output_too_large', {
        message: `The result is ${json.length} characters of JSON; at most ${limits.outputChars} are kept.`,
      });
    } else {
      settled = true;
      post('done', json ?? 'null', '', '');
    }
  }

  let lines = 0;
  function write(level: string, values: unknown[]): void {
    if (lines > limits.logLines) return;
    lines += 1;
    if (lines > limits.logLines) {
      post('log', 'warn', `More than ${limits.logLines} log lines: the rest is dropped.`, '');
      return;
    }
    let text = '';
    for (let index = 0; index < values.length && text.length <= limits.logLineChars; index += 1) {
      text += (index === 0 ? '' : ' ') + textOf(values[index]);
    }
    post('log', level, slice(text, limits.logLineChars), '');
  }

  const calls = create(null) as Record<string, Settle>;
  let callCount = 0;
  let pendingCalls = 0;
  function call(method: string, argument: unknown): Promise<unknown> {
    return new PromiseOf((resolve, reject) => {
      if (settled) throw new ErrorOf('The execution has ended.');
      if (pendingCalls >= limits.pendingCalls) {
        throw new RangeErrorOf(`More than ${limits.pendingCalls} calls are pending: await some of them first.`);
      }
      if (callCount >= limits.calls) throw new RangeErrorOf(`One execution may make ${limits.calls} calls.`);
      const json = stringify(argument);
      if (json.length > limits.callChars) {
        throw new RangeErrorOf(`A call may carry ${limits.callChars} characters of JSON, this one has ${json.length}.`);
      }
      callCount += 1;
      pendingCalls += 1;
      const id = StringOf(callCount);
      calls[id] = { resolve, reject };
      post('call', id, method, json);
    });
  }

  function settleCall(id: string, outcome: string, json: string): void {
    const waiting = calls[id];
    if (waiting === undefined) return;
    delete calls[id];
    pendingCalls -= 1;
    const value: unknown = parse(json);
    if (outcome === 'ok') {
      waiting.resolve(value);
      return;
    }
    const { message, code } = value as { message: string; code?: string };
    const error = new ErrorOf(message) as Error & { code?: string };
    if (code !== undefined) error.code = code;
    waiting.reject(error);
  }

  const timers = create(null) as Record<string, Timer>;
  const timersBeforeStart: [string, string][] = [];
  let timerCount = 0;
  let pendingTimers = 0;
  function setTimer(callback: unknown, delay: unknown, ...args: unknown[]): number {
    if (typeof callback !== 'function') throw new TypeErrorOf('setTimeout takes a function.');
    if (pendingTimers >= limits.timers) throw new RangeErrorOf(`More than ${limits.timers} timers are pending.`);
    timerCount += 1;
    pendingTimers += 1;
    const id = StringOf(timerCount);
    const milliseconds = typeof delay === 'number' && isFinite(delay) && delay > 0 ? floor(delay) : 0;
    timers[id] = { callback: callback as Timer['callback'], args };
    if (started) post('timer', id, StringOf(milliseconds), '');
    else timersBeforeStart[timersBeforeStart.length] = [id, StringOf(milliseconds)];
    return timerCount;
  }
  function clearTimer(id: unknown): void {
    const key = StringOf(id);
    if (timers[key] === undefined) return;
    delete timers[key];
    pendingTimers -= 1;
  }
  function fireTimer(id: string): void {
    const timer = timers[id];
    if (timer === undefined || settled) return;
    clearTimer(id);
    try {
      apply(timer.callback, undefined, timer.args);
    } catch (error) {
      fail('threw', describe(error));
    }
  }

  const abortListeners: ((event: { type: 'abort' }) => unknown)[] = [];
  const signal = {
    aborted: false,
    reason: undefined as Error | undefined,
    onabort: null as unknown,
    addEventListener(type: unknown, listener: unknown): void {
      if (type !== 'abort' || typeof listener !== 'function' || abortListeners.length >= limits.timers) return;
      abortListeners[abortListeners.length] = listener as (event: { type: 'abort' }) => unknown;
    },
    removeEventListener(_type: unknown, listener: unknown): void {
      for (let index = 0; index < abortListeners.length; index += 1) {
        if (abortListeners[index] === listener) abortListeners[index] = () => undefined;
      }
    },
    throwIfAborted(): void {
      if (signal.aborted && signal.reason !== undefined) throw signal.reason;
    },
  };
  function abort(message: string, code: string): void {
    if (signal.aborted || settled) return;
    const reason = new ErrorOf(message) as Error & { code?: string };
    reason.name = 'AbortError';
    reason.code = code;
    signal.reason = reason;
    signal.aborted = true;
    const listeners = [signal.onabort];
    for (let index = 0; index < abortListeners.length; index += 1) listeners[index + 1] = abortListeners[index];
    for (let index = 0; index < listeners.length; index += 1) {
      const listener = listeners[index];
      try {
        if (typeof listener === 'function') apply(listener as () => unknown, signal, [{ type: 'abort' }]);
      } catch {
        // A listener that throws must not keep the next one from being called.
      }
    }
  }

  const log = {
    debug: (...values: unknown[]) => write('debug', values),
    info: (...values: unknown[]) => write('info', values),
    warn: (...values: unknown[]) => write('warn', values),
    error: (...values: unknown[]) => write('error', values),
  };

  const request = (wanted: Record<string, unknown> | undefined): Promise<unknown> => {
    const { method, url, headers, query, body, timeoutMs, timeout_ms: timeout } = wanted ?? {};
    const target = typeof url === 'object' && url !== null ? StringOf(url) : url;
    return call('http.request', { method, url: target, headers, query, body, timeoutMs: timeoutMs ?? timeout });
  };
  // Both `ctx.http(request)` and `ctx.http.request(request)`.
  request.request = request;

  // Null means that the key must not exist yet, so it differs from undefined.
  const expectedOf = (options: StateOptions | undefined): unknown =>
    options?.expectedVersion === undefined ? options?.version : options.expectedVersion;

  function contextOf(input: Record<string, unknown>): Record<string, unknown> {
    return {
      ...input,
      log,
      signal,
      http: request,
      state: {
        get: (namespace: unknown, key: unknown) => call('state.get', { namespace, key }),
        set: (namespace: unknown, key: unknown, value: unknown, options: StateOptions | undefined) =>
          call('state.set', {
            namespace,
            key,
            value,
            expectedVersion: expectedOf(options),
            ttlSeconds: options?.ttlSeconds ?? options?.ttl_seconds,
          }),
        delete: (namespace: unknown, key: unknown, options: StateOptions | undefined) =>
          call('state.delete', { namespace, key, expectedVersion: expectedOf(options) }),
      },
      credentials: {
        get: (reference: unknown, field: unknown) => call('credentials.get', { reference, field }),
      },
    };
  }

  function start(entry: string, json: string): void {
    started = true;
    for (let index = 0; index < timersBeforeStart.length; index += 1) {
      const [id, milliseconds] = timersBeforeStart[index] as [string, string];
      post('timer', id, milliseconds, '');
    }
    const run = async (): Promise<void> => {
      try {
        const exported = (scope['__node'] ?? {}) as Record<string, unknown>;
        const main = exported[entry];
        if (typeof main !== 'function') {
          fail('threw', { message: `The node's code exports no ${entry}().`, code: 'NO_SUCH_ENTRY' });
          return;
        }
        finish(await apply(main as (ctx: unknown) => unknown, undefined, [contextOf(parse(json))]));
      } catch (error) {
        fail('threw', describe(error));
      }
    };
    void run();
  }

  provide('console', {
    ...log,
    log: log.info,
    trace: log.debug,
  });
  provide('setTimeout', setTimer);
  provide('clearTimeout', clearTimer);
  provide('performance', freeze({ now: () => dateNow() }));

  return (kind, a, b, c) => {
    if (kind === 'start') start(a, b);
    else if (kind === 'reply') settleCall(a, b, c);
    else if (kind === 'timer') fireTimer(a);
    else if (kind === 'abort') abort(a, b);
  };
}
