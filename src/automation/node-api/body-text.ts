import type { EgressRequest } from '#src/infra/egress/request.ts';

/** A body as text for recognising secrets in it: parts of a multipart form are sent unencoded. Files are not searched. */
export const bodyText = (body: NonNullable<EgressRequest['body']> | null): string | null =>
  typeof body === 'string' || body === null
    ? body
    : 'open' in body
      ? null
      : Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
