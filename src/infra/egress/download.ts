import { PassThrough, type Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { EgressError, toEgressError } from './errors.ts';
import type { EgressRequest, EgressResponse, Hop } from './request.ts';

/** A request whose response is read as a stream. */
export interface DownloadRequest extends Pick<EgressRequest, 'url' | 'headers' | 'secure' | 'signal'> {
  /** Milliseconds until the response begins, and between two chunks of its body. */
  idleMs: number;
}

/** A response whose body is a stream; a caller that does not read it must destroy it. */
export interface Download extends Pick<EgressResponse, 'status' | 'headers'> {
  /** The body as sent, not decoded. Fails with an EgressError. */
  body: Readable;
}

/** Requests a file. A redirect is returned like any other response. */
export async function download(
  agent: Dispatcher,
  { target: { url, where }, method, headers: sent }: Hop,
  { idleMs, signal }: Pick<DownloadRequest, 'idleMs' | 'signal'>,
): Promise<Download> {
  const failed = (error: unknown): EgressError =>
    isSlow(error)
      ? new EgressError('timeout', `${where} sent nothing for ${idleMs} ms.`, { cause: error })
      : toEgressError(error, where);
  try {
    const { statusCode, headers, body } = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers: sent,
      headersTimeout: idleMs,
      bodyTimeout: idleMs,
      ...(signal && { signal }),
    });
    // A Readable instead of an async generator: a generator that was never read does not close the connection when it is destroyed.
    const through = new PassThrough({
      destroy(error, done) {
        body.destroy();
        done(error);
      },
    });
    body.on('error', (error) => through.destroy(failed(error)));
    body.pipe(through);
    const named = Object.assign(Object.create(null) as Download['headers'], headers);
    return { status: statusCode, headers: named, body: through };
  } catch (error) {
    throw failed(error);
  }
}

const isSlow = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'UND_ERR_HEADERS_TIMEOUT' || error.code === 'UND_ERR_BODY_TIMEOUT');
