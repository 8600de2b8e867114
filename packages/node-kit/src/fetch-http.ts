import type { Http, HttpRequest, HttpResponse } from './define.ts';

const maxAnswerLength = 8 * 1024 * 1024;

/** `ctx.http` over this machine's network, for tests against a local or a real system. */
export const fetchHttp: Http = { request };

async function request(request: HttpRequest): Promise<HttpResponse> {
  const { method = 'GET', url, headers, query = {}, body, timeoutMs = 15_000 } = request;
  if (request.file !== undefined || (request.answer ?? 'content') !== 'content')
    throw new Error('Requests over the network have no files here. Give runNode an `http` that answers this request.');
  const target = new URL(url);
  for (const [name, values] of Object.entries(query)) {
    for (const value of [values].flat()) target.searchParams.append(name, String(value));
  }
  const sent = new Headers(headers);
  const isJson = body !== undefined && typeof body !== 'string';
  if (isJson && !sent.has('content-type')) sent.set('content-type', 'application/json');
  const response = await fetch(target, {
    method,
    headers: sent,
    body: isJson ? JSON.stringify(body) : (body ?? null),
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await response.text();
  if (text.length > maxAnswerLength) throw new Error(`The answer is longer than ${maxAnswerLength} characters.`);
  const answersJson = /^application\/([a-z0-9.+-]+\+)?json\b/i.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: answersJson && text !== '' ? (JSON.parse(text) as unknown) : text,
  };
}
