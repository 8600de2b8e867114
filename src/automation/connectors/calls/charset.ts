import type { CallBody } from '#src/automation/node-api/api-call.ts';
import { invalid } from './values.ts';

const latin1 = /^(?:iso-8859-1|latin1|us-ascii|ascii)$/i;

/** Encodes a text in the charset of its media type, by default UTF-8. Throws a NodeError for charsets other than UTF-8 and Latin-1. */
export function inCharset(text: string, { media_type: type, field }: CallBody): string | Uint8Array {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(type)?.[1] ?? 'utf-8';
  if (/^utf-?8$/i.test(charset)) return text;
  if (!latin1.test(charset))
    throw invalid(field, `cannot be written in the charset ${charset.slice(0, 40)}, only in UTF-8 and ISO-8859-1.`);
  if (/[^\0-\u00ff]/.test(text)) throw invalid(field, `has characters that ${charset} does not have.`);
  return Buffer.from(text, 'latin1');
}
