import { isUtf8 } from 'node:buffer';
import { AppError } from '#src/infra/errors.ts';

/**
 * The text of a body. Throws BAD_REQUEST for bytes that are not UTF-8 and for a content type that names another charset:
 * decoded as UTF-8, its letters would be stored as replacement characters, and the sender would never know.
 */
export function utf8Text(bytes: Buffer, contentType = ''): string {
  const charset = readCharset(contentType);
  if (charset !== undefined && !compatible.has(charset)) {
    throw new AppError('BAD_REQUEST', `The charset ${charset.slice(0, 40)} is not supported. Send the body as UTF-8.`);
  }
  if (!isUtf8(bytes)) throw new AppError('BAD_REQUEST', 'The request body is not valid UTF-8. Send it as UTF-8.');
  return bytes.toString('utf8');
}

/** Throws BAD_REQUEST for a form whose percent-escapes are not UTF-8, for the same reason. */
export function assertUtf8Form(form: string): void {
  try {
    decodeURIComponent(form);
  } catch {
    throw new AppError('BAD_REQUEST', 'The form is not valid UTF-8. Send its values percent-encoded as UTF-8.');
  }
}

const compatible: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii', 'ascii']);

const readCharset = (contentType: string): string | undefined =>
  /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1]?.toLowerCase();
