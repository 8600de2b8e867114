import { noFile, receiveFile } from '#src/automation/http-calls/answer-files.ts';
import { isRetryableStatus } from '#src/automation/http-calls/failures.ts';
import { withValueAt } from '#src/automation/http-calls/json-path.ts';
import { type Place, toPage } from '#src/automation/http-calls/next-place.ts';
import type { PageSource } from '#src/automation/http-calls/page-source.ts';
import { readAnswer } from '#src/automation/http-calls/read-answer.ts';
import { sendRequest } from '#src/automation/http-calls/send-request.ts';
import { type NodeContext, readConfig } from '#src/automation/node-api/builtin-node.ts';
import { credentialParts } from '#src/automation/node-api/credential-parts.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { FilesPort, HttpPort, OpenCredential } from '#src/automation/node-api/ports.ts';
import { buildBody } from './bodies.ts';
import { buildHeaders, buildUrl, type HttpConfig, httpConfig, maxRedirects, withCredentialHost } from './config.ts';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

interface Sender {
  http: HttpPort;
  files: FilesPort;
  credential: OpenCredential | undefined;
  signal: AbortSignal;
  idempotencyKey: string;
}

/** Sends the request of a config and parses the response. Throws a NodeError for a response that fails the step. */
export async function send(
  config: HttpConfig,
  url: string,
  { http, files, credential, signal, idempotencyKey }: Sender,
) {
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

type RequestContext = Pick<NodeContext<'credentials' | 'files' | 'http'>, 'ports' | 'signal' | 'idempotencyKey'>;

/** The ports and values that requests of a config need. */
export async function openSender(config: HttpConfig, ctx: RequestContext): Promise<{ url: string; sender: Sender }> {
  const credential =
    config.credential == null ? undefined : await ctx.ports.credentials.open(String(config.credential));
  const asked = buildUrl(config);
  const url = config.host_from ? await withCredentialHost(asked, config.host_from, credential) : asked;
  const { http, files } = ctx.ports;
  return { url, sender: { http, files, credential, signal: ctx.signal, idempotencyKey: ctx.idempotencyKey } };
}

export const toSource = (config: HttpConfig, url: string, sender: Sender) => ({
  paging: config.paging ?? undefined,
  url: new URL(url),
  async read(place: Place, number: number) {
    const page = pageRequest(config, url, place);
    // Each page is a request of its own.
    const idempotencyKey = number === 1 ? sender.idempotencyKey : `${sender.idempotencyKey}-${number}`;
    const { response, outputs } = await send(page.config, page.url, { ...sender, idempotencyKey });
    return { outputs, ...toPage(response, outputs.body) };
  },
});

/** The list of a config of core:http-request, page by page. Any status of 400 or more is an error. */
export async function openHttpPages(given: unknown, ctx: RequestContext): Promise<PageSource> {
  const config = { ...readConfig(httpConfig, given), fail_on_status: true };
  const { url, sender } = await openSender(config, ctx);
  return toSource(config, url, sender);
}
