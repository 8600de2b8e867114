import { signal } from './abort-signal.ts';
import { NativeString } from './builtins.ts';
import { call } from './calls.ts';
import { files } from './files.ts';
import { log } from './log.ts';

type StateOptions = { version?: unknown; expectedVersion?: unknown; ttlSeconds?: unknown; ttl_seconds?: unknown };

const request = (wanted: Record<string, unknown> | undefined): Promise<unknown> => {
  const { method, url, headers, query, body, file, answer, timeoutMs, timeout_ms: timeout } = wanted ?? {};
  const target = typeof url === 'object' && url !== null ? NativeString(url) : url;
  return call('http.request', {
    method,
    url: target,
    headers,
    query,
    body,
    file,
    answer,
    timeoutMs: timeoutMs ?? timeout,
  });
};
// Both `ctx.http(request)` and `ctx.http.request(request)`.
request.request = request;

/** Null means that the key must not exist yet, so it differs from undefined. */
const expectedVersion = (options: StateOptions | undefined): unknown =>
  options?.expectedVersion === undefined ? options?.version : options.expectedVersion;

/** The `ctx` that a node's function is called with. */
export const nodeContext = (input: Record<string, unknown>): Record<string, unknown> => ({
  ...input,
  log,
  signal,
  http: request,
  files,
  state: {
    get: (namespace: unknown, key: unknown) => call('state.get', { namespace, key }),
    set: (namespace: unknown, key: unknown, value: unknown, options: StateOptions | undefined) =>
      call('state.set', {
        namespace,
        key,
        value,
        expectedVersion: expectedVersion(options),
        ttlSeconds: options?.ttlSeconds ?? options?.ttl_seconds,
      }),
    delete: (namespace: unknown, key: unknown, options: StateOptions | undefined) =>
      call('state.delete', { namespace, key, expectedVersion: expectedVersion(options) }),
  },
  credentials: {
    get: (reference: unknown, field: unknown) => call('credentials.get', { reference, field }),
  },
});
