import { noFile, receiveFile } from '#src/automation/http-calls/answer-files.ts';
import type { Place } from '#src/automation/http-calls/next-place.ts';
import { type Answer, readAnswer } from '#src/automation/http-calls/read-answer.ts';
import { defaultMaxRedirects, sendRequest } from '#src/automation/http-calls/send-request.ts';
import type { ApiCall } from '#src/automation/node-api/api-call.ts';
import type { NodeContext } from '#src/automation/node-api/builtin-node.ts';
import type { ConfigField } from '#src/automation/node-api/manifest.ts';
import type { OpenCredential } from '#src/automation/node-api/ports.ts';
import { type CallOutputs, isRepeatable } from './answers.ts';
import { buildBody } from './bodies.ts';
import { type Carried, carryCredential } from './carry-credential.ts';
import { isTokenRequired, readToken, tokenRequest } from './csrf-token.ts';
import { addCookies, buildCookies, buildHeaders, setHeader } from './headers.ts';
import { encodeName, encodeText } from './percent.ts';
import { withQuery } from './query.ts';
import { toText } from './styles.ts';
import { type Values, readValue } from './values.ts';

/** A call with everything that is needed to send it: its URL, its values and its credential. */
export interface Sending {
  call: ApiCall;
  /** The config fields. Needed only if a field has fields of its own. */
  fields: readonly ConfigField[];
  values: Values;
  /** The full URL, with the path and the query built from the parameters. */
  url: string;
  /** The address of the API, without a slash at its end. */
  base: string;
  credential: OpenCredential | undefined;
  ctx: Pick<NodeContext<'credentials' | 'files' | 'http'>, 'ports' | 'signal' | 'idempotencyKey'>;
}

/** An upper limit. The time limit of the step usually ends sooner. */
const timeoutMs = 300_000;

export const openCredential = async (
  { credential: field }: ApiCall,
  values: Values,
  ctx: Sending['ctx'],
): Promise<OpenCredential | undefined> => {
  const id = field === undefined ? undefined : readValue(values, field);
  return id === undefined ? undefined : ctx.ports.credentials.open(toText(id));
};

/**
 * Sends the only request of a call, or the request for one page of a list. An answer that is neither text nor a form becomes a file. Returns
 * the answer whatever its status is.
 */
export async function sendCall(
  { call, fields, values, url, base, credential, ctx }: Sending,
  page?: { place: Place; number: number },
): Promise<{ answer: Answer; outputs: CallOutputs }> {
  const { place, number } = page ?? { place: {}, number: 1 };
  const method = call.method.toUpperCase();
  const headers = buildHeaders(call, values);
  const carried = credential && (await carryCredential(credential));
  const body = await buildBody(call, values, {
    fields,
    place,
    usernameToken: carried?.usernameToken,
    files: ctx.ports.files,
  });
  if (body) setHeader(headers, 'content-type', body.mediaType);
  for (const [key, value] of Object.entries(body?.headers ?? {})) setHeader(headers, key, value);
  addCookies(headers, buildCookies(call, values));
  const { idempotency_header: name } = call;
  // Each page is a separate request, so it needs its own idempotency key.
  if (name !== undefined && headers[name.toLowerCase()] === undefined) {
    setHeader(headers, name, number === 1 ? ctx.idempotencyKey : `${ctx.idempotencyKey}-${number}`);
  }
  const target = authenticate(atPlace(call, url, place), headers, carried);
  const shared = { timeoutMs, signal: ctx.signal, certificate: carried?.certificate };
  const hasFile = page === undefined && method !== 'HEAD' && !call.soap && call.body?.as !== 'change_set';
  const { receive, received } = hasFile ? receiveFile(ctx.ports.files, 'auto') : noFile;
  const request = { ...shared, method, url: target, headers, body: body?.content ?? null, receive };
  const send = () =>
    sendRequest(
      ctx.ports.http,
      { ...request, redirects: defaultMaxRedirects(method) },
      { credential, isRepeatable: isRepeatable(call) },
    );
  const fetchToken = async () => {
    const own = { ...tokenRequest };
    const root = authenticate(`${base}/`, own, carried);
    return readToken(
      await sendRequest(
        ctx.ports.http,
        { ...shared, method: 'GET', url: root, headers: own, body: null, redirects: 0 },
        { credential },
      ),
    );
  };
  let answer = await send();
  const token = isTokenRequired(answer) ? await fetchToken() : undefined;
  if (token) {
    for (const [key, value] of Object.entries(token.headers)) setHeader(headers, key, value);
    addCookies(headers, token.cookies);
    answer = await send();
  }
  const outputs = await readAnswer(answer);
  return { answer, outputs: { ...outputs, body: received?.file ?? outputs.body } };
}

/** Adds a credential's headers and cookies to the headers, and returns the URL with the credential's query parameters. */
function authenticate(url: string, headers: Record<string, string>, carried: Carried | undefined): string {
  if (!carried) return url;
  for (const [name, value] of Object.entries(carried.headers)) setHeader(headers, name, value);
  addCookies(headers, carried.cookies);
  return withQuery(url, carried.query);
}

/** Returns the URL of a page. */
function atPlace({ paging }: ApiCall, url: string, place: Place): string {
  if (place.url !== undefined) return place.url;
  if (place.value === undefined || !paging || paging.by === 'next_link' || paging.in === 'body') return url;
  const value = Array.isArray(place.value) ? JSON.stringify(place.value) : String(place.value);
  return withQuery(url, [[encodeName(paging.param), encodeText(value)]]);
}
