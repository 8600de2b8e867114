import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { HttpPort } from '#src/automation/node-api/ports.ts';

/** The request of the SDK, as far as it is used here. */
interface SdkRequest {
  method: string;
  protocol: string;
  hostname: string;
  port?: number | undefined;
  path: string;
  query: Record<string, string | string[] | null>;
  headers: Record<string, string>;
  body?: unknown;
}

interface SdkAnswer {
  response: { statusCode: number; headers: Record<string, string>; body: Readable };
}

/** The time limit of a request. The limit of the step ends it earlier. */
const requestMs = 3_600_000;
/** How long a transfer may pause. */
const idleMs = 60_000;

/**
 * The request handler of an SDK client that sends over the HTTP port, so that addresses are checked as for every other request. A download
 * is passed on as a stream; any other answer is small, and bounded by the port.
 */
export function sendingOver(http: HttpPort, signal: AbortSignal) {
  return {
    metadata: { handlerProtocol: 'http/1.1' },
    async handle(request: SdkRequest): Promise<SdkAnswer> {
      const idle = watchIdle();
      const answer = Promise.withResolvers<SdkAnswer>();
      const { method, body, query } = request;
      const isDownload = query['x-id'] === 'GetObject';
      http
        .request({
          method,
          url: writeUrl(request),
          headers: { ...request.headers, 'accept-encoding': 'identity' },
          body: readBody(request, body, idle.moved),
          receive: ({ status, headers }) =>
            isDownload && status < 300
              ? (content) => {
                  content.on('data', idle.moved).pause();
                  answer.resolve({ response: { statusCode: status, headers: flatten(headers), body: content } });
                  return finished(content);
                }
              : undefined,
          timeoutMs: requestMs,
          redirects: 0,
          secure: true,
          signal: AbortSignal.any([signal, idle.signal]),
        })
        .then(
          ({ status, headers, body: content }) =>
            answer.resolve({
              response: { statusCode: status, headers: flatten(headers), body: Readable.from([Buffer.from(content)]) },
            }),
          answer.reject,
        )
        .finally(idle.stop);
      return answer.promise;
    },
    updateHttpClientConfig: () => undefined,
    httpHandlerConfigs: () => ({}),
    destroy: () => undefined,
  };
}

/** A signal that aborts when no bytes have been transferred for a while. */
function watchIdle() {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), idleMs);
  return { signal: controller.signal, moved: () => void timer.refresh(), stop: () => clearTimeout(timer) };
}

const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

function writeUrl({ protocol, hostname, port, path, query }: SdkRequest): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((each) => (each === null ? encode(name) : `${encode(name)}=${encode(each)}`)),
  );
  const search = pairs.length > 0 ? `?${pairs.join('&')}` : '';
  return `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}${search}`;
}

function readBody(
  { headers }: SdkRequest,
  body: unknown,
  moved: () => void,
): Parameters<HttpPort['request']>[0]['body'] {
  if (body instanceof Readable) {
    body.on('data', moved).pause();
    return { bytes: Number(headers['content-length']), open: async () => body };
  }
  return typeof body === 'string' || body instanceof Uint8Array ? body : null;
}

const flatten = (headers: Record<string, string | string[]>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]));
