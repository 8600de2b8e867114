import type { Http } from './define.ts';

const maxAnswerBytes = 8 * 1024 * 1024;

/** `ctx.http` over this machine's network, for tests against a local or a real system. */
export const fetchHttp: Http = async ({ method = 'GET', url, headers = {}, query = {}, body, timeout_ms = 15_000 }) => {
  const target = new URL(url);
  for (const [name, value] of Object.entries(query)) target.searchParams.set(name, String(value));
  const sent = new Headers(headers);
  const isJson = body !== undefined && typeof body !== 'string';
  if (isJson && !sent.has('content-type')) sent.set('content-type', 'application/json');
  const response = await fetch(target, {
    method,
    headers: sent,
    body: body === undefined ? null : isJson ? JSON.stringify(body) : body,
    redirect: 'manual',
    signal: AbortSignal.timeout(timeout_ms),
  });
  const text = await response.text();
  if (text.length > maxAnswerBytes) throw new Error(`The answer is larger than ${maxAnswerBytes} bytes.`);
  const answersJson = /^application\/([a-z0-9.+-]+\+)?json\b/i.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: answersJson && text !== '' ? (JSON.parse(text) as unknown) : text,
  };
};
