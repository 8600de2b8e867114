import { pipeline, type Readable } from 'node:stream';
import { AppError } from '#src/infra/errors.ts';
import { createDecoder } from './body.ts';
import { EgressError, toEgressError } from './errors.ts';
import { type Bounds, OwnError } from './exchange.ts';
import { isRedirect } from './redirect.ts';
import {
  type EgressRequest,
  type EgressResponse,
  type HeaderList,
  type Hop,
  isStreamed,
  type StreamedBody,
} from './request.ts';

/** The open body of one hop, and headers that state its length. */
export async function openBody(
  headers: HeaderList,
  { bytes, open }: StreamedBody,
): Promise<{ headers: HeaderList; body: Readable }> {
  const body = await open().catch((error: unknown) => {
    throw new OwnError(error);
  });
  return { headers: [...headers, 'content-length', String(bytes)], body };
}

/** The error to throw for a failed hop: an error of the caller's own stream unchanged, any other as an EgressError. */
export function toFailure(error: unknown, { body }: Hop, where: string): unknown {
  if (error instanceof OwnError) return error.cause;
  // Errors of sockets and of undici have codes.
  const isSource = isStreamed(body) && error instanceof Error && (error instanceof AppError || !('code' in error));
  return isSource && !(error instanceof EgressError) ? error : toEgressError(error, where);
}

const first = (value: string | string[] | undefined): string =>
  Array.isArray(value) ? (value[0] ?? '') : (value ?? '');

/** Offers the body of a response to the caller, unless the response is a redirect to follow, and decodes the body if the caller takes it. */
export function receiveFrom(
  ask: NonNullable<EgressRequest['receive']>,
  { url, where, redirects }: { url: URL; where: string; redirects: number },
): Bounds['receive'] {
  return (status, given) => {
    const headers = Object.assign(Object.create(null) as EgressResponse['headers'], given);
    if (redirects > 0 && isRedirect(status) && first(headers['location']) !== '') return undefined;
    const receive = ask({ status, headers, url: url.href });
    const encoding = first(headers['content-encoding']).trim().toLowerCase();
    if (!receive || encoding === '' || encoding === 'identity') return receive;
    return async (body) => {
      const decoder = createDecoder(encoding, where);
      pipeline(body, decoder, () => undefined);
      await receive(decoder).catch((error: unknown) => {
        const isCorrupt =
          error instanceof Error && 'code' in error && /^(Z_|ERR__ERROR|ZSTD_)/.test(String(error.code));
        throw isCorrupt
          ? new EgressError('protocol', `The response of ${where} is not valid ${encoding}.`, { cause: error })
          : error;
      });
    };
  };
}
