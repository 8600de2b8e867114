const named = /;\s*charset\s*=\s*"?([^\s";]+)/i;
/** The declaration of an XML document is ASCII in every encoding but UTF-16, which begins with a byte-order mark. */
const inXml = /^\s*<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']/;
const isXml = /^(text|application)\/([a-z0-9.+-]+\+)?xml\s*(;|$)/i;
const isText = /^text\//i;

/**
 * The text of an HTTP body: decoded by its byte-order mark, else by the charset that its content type or its XML declaration names, else as
 * UTF-8. Text without a named charset that is not UTF-8 is read as Windows-1252, as browsers do. Undefined if the bytes are invalid in
 * their charset, and for an unknown charset.
 */
export function declaredText(body: Uint8Array, contentType: string): string | undefined {
  const [a, b] = body;
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) {
    if (!isText.test(contentType) && !named.test(contentType) && !isXml.test(contentType)) return undefined;
    return decode(body, a === 0xff ? 'utf-16le' : 'utf-16be');
  }
  const charset = named.exec(contentType)?.[1] ?? (isXml.test(contentType) ? charsetInXml(body) : undefined);
  if (charset !== undefined) return decode(body, charset);
  return decode(body, 'utf-8') ?? (isText.test(contentType) ? decode(body, 'windows-1252') : undefined);
}

const charsetInXml = (body: Uint8Array): string | undefined =>
  inXml.exec(Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, 300)).toString('latin1'))?.[1];

function decode(body: Uint8Array, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
}
