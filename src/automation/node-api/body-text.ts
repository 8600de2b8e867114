/** A body as text, in which its secrets are recognised: parts of a multipart form are sent as they are. */
export const bodyText = (body: string | Uint8Array | null): string | null =>
  typeof body === 'string' || body === null
    ? body
    : Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
