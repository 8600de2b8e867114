/** A body as text for recognising secrets in it: parts of a multipart form are sent unencoded. */
export const bodyText = (body: string | Uint8Array | null): string | null =>
  typeof body === 'string' || body === null
    ? body
    : Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
