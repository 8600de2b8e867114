import { credentialHeader } from '#src/automation/node-api/credential-headers.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { HttpPort, OpenCredential } from '#src/automation/node-api/ports.ts';
import { sendRenewing } from '#src/automation/node-api/send-renewing.ts';
import { isWithinDepth } from '#src/infra/json.ts';
import { declaredText } from '#src/infra/text/declared-charset.ts';
import { parseExact } from '#src/infra/text/exact-numbers.ts';
import { defineNode } from './core-node.ts';
import { formatLimits } from './formats/formats.ts';
import { buildBody } from './http/bodies.ts';
import {
  buildHeaders,
  type HttpConfig,
  httpConfig,
  maxRedirects,
  buildUrl,
  withCredentialHost,
} from './http/config.ts';
import { parseForm } from './http/forms.ts';
import { withValueAt } from './http/json-path.ts';
import { type Place, readPages } from './http/paging.ts';

type Response = Awaited<ReturnType<HttpPort['request']>>;

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

const first = (value: string | string[] | undefined): string =>
  Array.isArray(value) ? (value[0] ?? '') : (value ?? '');

/**
 * JSON when its content type says so and it nests no deeper than core:parse reads, otherwise text, or base64 when it is not text.
 * An empty body is null.
 */
function readBody({ headers, body }: Response): unknown {
  if (body.byteLength === 0) return null;
  const type = first(headers['content-type']);
  const text = declaredText(body, type);
  if (text === undefined) return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('base64');
  if (!/^application\/([a-z0-9.+-]+\+)?json\s*(;|$)/i.test(type)) return text;
  try {
    const value = parseExact(text);
    return isWithinDepth(value, formatLimits.depth) ? value : text;
  } catch {
    return text;
  }
}

/** The fields of a form response, or its body. */
const readAnswer = async (response: Response): Promise<unknown> =>
  (await parseForm(first(response.headers['content-type']), response.body)) ?? readBody(response);

const retryableStatus = (status: number): boolean => [408, 425, 429].includes(status) || status >= 500;

/** Failures of the network; a retry of the others would fail again. */
const retryableCodes = new Set(['dns', 'connect', 'disconnected', 'protocol', 'timeout', 'closed']);

function asNodeError(error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== 'EgressError' || !('code' in error)) return error;
  const code = String(error.code);
  return new NodeError(`HTTP_${code.toUpperCase()}`, error.message, {
    retryable: retryableCodes.has(code),
    cause: error,
  });
}

interface Sender {
  http: HttpPort;
  credential: OpenCredential | undefined;
  signal: AbortSignal;
  idempotencyKey: string;
}

/** Sends the request of a config and parses the response. Throws a NodeError for a response that fails the step. */
async function send(config: HttpConfig, url: string, { http, credential, signal, idempotencyKey }: Sender) {
  const headers = buildHeaders(config);
  const body = buildBody(config, headers);
  const { method, timeout_ms: timeoutMs } = config;
  // A step may be interrupted and run again; a server that supports the header then does the work only once.
  if (!safeMethods.has(method)) headers['idempotency-key'] ??= idempotencyKey;
  if (credential) {
    const [name, value] = await credentialHeader(credential);
    headers[name] = value;
  }
  const request = {
    method,
    url,
    body,
    timeoutMs,
    redirects: maxRedirects(config),
    secure: credential !== undefined,
    signal,
  };
  const { origin } = new URL(url);
  const response = await sendRenewing(
    credential,
    headers,
    (sent) =>
      http.request({ ...request, headers: sent }).catch((error: unknown) => {
        throw asNodeError(error);
      }),
    // A host that a redirect led to did not get the token.
    (answer) => new URL(answer.url).origin === origin,
  );
  const outputs = { status: response.status, headers: { ...response.headers }, body: await readAnswer(response) };
  if (config.fail_on_status && response.status >= 400) {
    // The path and the query may hold secrets.
    throw new NodeError('HTTP_STATUS', `${method} ${new URL(url).host} answered ${response.status}.`, {
      retryable: retryableStatus(response.status),
      details: outputs,
    });
  }
  return { response, outputs };
}

/** The config and URL of the request for a page. */
function pageRequest(config: HttpConfig, url: string, place: Place): { config: HttpConfig; url: string } {
  const { paging, body } = config;
  if (place.url !== undefined) return { config, url: place.url };
  if (!paging || place.value === undefined || paging.by === 'next_link') return { config, url };
  const { param } = paging;
  if (paging.in === 'body') {
    if (typeof body !== 'string') return { config: { ...config, body: withValueAt(body, param, place.value) }, url };
    throw new NodeError('INVALID_CONFIG', 'config.body: must be an object, as paging.in is "body".');
  }
  const target = new URL(url);
  target.searchParams.set(typeof param === 'string' ? param : param.join('.'), String(place.value));
  return { config, url: url.split(/[?#]/, 1)[0] + target.search };
}

export const httpRequestNode = defineNode({
  name: 'http-request',
  config: httpConfig,
  effect: 'effect',
  uses: ['credentials', 'http'],
  async execute(config, ctx) {
    const credential =
      config.credential == null ? undefined : await ctx.ports.credentials.open(String(config.credential));
    const asked = buildUrl(config);
    const url = config.host_from ? await withCredentialHost(asked, config.host_from, credential) : asked;
    const sender = { http: ctx.ports.http, credential, signal: ctx.signal, idempotencyKey: ctx.idempotencyKey };
    const { paging } = config;
    if (!paging) return { outputs: (await send(config, url, sender)).outputs };
    let last = {};
    const { items, ...read } = await readPages(paging, new URL(url), async (place, number) => {
      const page = pageRequest(config, url, place);
      // Each page is a request of its own.
      const idempotencyKey = number === 1 ? ctx.idempotencyKey : `${ctx.idempotencyKey}-${number}`;
      const { response, outputs } = await send(page.config, page.url, { ...sender, idempotencyKey });
      last = outputs;
      const link = response.headers['link'];
      return {
        url: response.url,
        link: Array.isArray(link) ? link.join(', ') : (link ?? ''),
        body: outputs.body,
        bytes: response.body,
      };
    });
    return { outputs: { ...last, body: items, ...read } };
  },
});
