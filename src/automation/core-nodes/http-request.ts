import { noFile, receiveFile } from '#src/automation/http-calls/answer-files.ts';
import { isRetryableStatus } from '#src/automation/http-calls/failures.ts';
import { withValueAt } from '#src/automation/http-calls/json-path.ts';
import { type Place, toPage } from '#src/automation/http-calls/next-place.ts';
import { readAnswer } from '#src/automation/http-calls/read-answer.ts';
import { readPages } from '#src/automation/http-calls/read-pages.ts';
import { sendRequest } from '#src/automation/http-calls/send-request.ts';
import { credentialParts } from '#src/automation/node-api/credential-parts.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { FilesPort, HttpPort, OpenCredential } from '#src/automation/node-api/ports.ts';
import { defineNode } from './core-node.ts';
import { buildBody } from './http/bodies.ts';
import {
  buildHeaders,
  buildUrl,
  type HttpConfig,
  httpConfig,
  maxRedirects,
  withCredentialHost,
} from './http/config.ts';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

interface Sender {
  http: HttpPort;
  files: FilesPort;
  credential: OpenCredential | undefined;
  signal: AbortSignal;
  idempotencyKey: string;
}

/** Sends the request of a config and parses the response. Throws a NodeError for a response that fails the step. */
async function send(config: HttpConfig, url: string, { http, files, credential, signal, idempotencyKey }: Sender) {
  const headers = buildHeaders(config);
  const body = await buildBody(config, headers, files);
  const { method, timeout_ms: timeoutMs, answer } = config;
  const { receive, received } = answer === 'content' || method === 'HEAD' ? noFile : receiveFile(files, answer);
  // A step may be interrupted and run again; a server that supports the header then does the work only once.
  if (!safeMethods.has(method)) headers['idempotency-key'] ??= idempotencyKey;
  const carried = credential && (await credentialParts(credential));
  Object.assign(headers, carried?.headers);
  const response = await sendRequest(
    http,
    {
      method,
      url,
      headers,
      body,
      receive,
      timeoutMs,
      redirects: maxRedirects(config),
      certificate: carried?.certificate,
      signal,
    },
    { credential, repeatsRefused: config.fail_on_status },
  );
  const { body: content, ...head } = await readAnswer(response);
  const outputs = { ...head, body: received?.file ?? content };
  if (config.fail_on_status && response.status >= 400) {
    // The path and the query may hold secrets.
    throw new NodeError('HTTP_STATUS', `${method} ${new URL(url).host} answered ${response.status}.`, {
      retryable: isRetryableStatus(response.status),
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
  uses: ['credentials', 'files', 'http'],
  async execute(config, ctx) {
    const credential =
      config.credential == null ? undefined : await ctx.ports.credentials.open(String(config.credential));
    const asked = buildUrl(config);
    const url = config.host_from ? await withCredentialHost(asked, config.host_from, credential) : asked;
    const { http, files } = ctx.ports;
    const sender = { http, files, credential, signal: ctx.signal, idempotencyKey: ctx.idempotencyKey };
    const { paging } = config;
    if (!paging) return { outputs: (await send(config, url, sender)).outputs };
    let last = {};
    const { items, ...read } = await readPages(paging, new URL(url), async (place, number) => {
      const page = pageRequest(config, url, place);
      // Each page is a request of its own.
      const idempotencyKey = number === 1 ? ctx.idempotencyKey : `${ctx.idempotencyKey}-${number}`;
      const { response, outputs } = await send(page.config, page.url, { ...sender, idempotencyKey });
      last = outputs;
      return toPage(response, outputs.body);
    });
    return { outputs: { ...last, body: items, ...read } };
  },
});
