import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';
import { AppError, ValidationError } from '#src/infra/errors.ts';

const tooLarge = () => new AppError('PAYLOAD_TOO_LARGE');

/**
 * The bytes of an uploaded file: the complete body, or the file of a multipart form's field `field`. Throws PAYLOAD_TOO_LARGE beyond
 * `limit` bytes, BAD_REQUEST for an invalid form, ValidationError if the field is missing.
 */
export function readUpload(body: Readable, contentType: string, { field, limit }: UploadOptions): Promise<Buffer> {
  return contentType.toLowerCase().startsWith('multipart/form-data')
    ? readForm(body, contentType, { field, limit })
    : readAll(body, limit);
}

export interface UploadOptions {
  field: string;
  limit: number;
}

/**
 * The complete content of a stream, which stays open. Throws PAYLOAD_TOO_LARGE beyond `limit` bytes, BAD_REQUEST if its sender aborts. Uses
 * events: for a small request, an async iterator doubles the cost of reading.
 */
export function readAll(body: Readable, limit: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let size = 0;
  // Without a cause: a broken connection would look like one to the database. A body that has ended emits `close` as well.
  const breakOff = (): void => {
    if (!body.readableEnded) reject(new AppError('BAD_REQUEST', 'The request broke off before its body ended.'));
  };
  function add(chunk: Buffer): void {
    size += chunk.length;
    chunks.push(chunk);
    if (size <= limit) return;
    body.off('data', add).pause();
    reject(tooLarge());
  }
  if (body.destroyed) breakOff();
  body.on('data', add);
  body.once('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size)));
  body.once('error', breakOff);
  body.once('close', breakOff);
  return promise;
}

async function readForm(body: Readable, contentType: string, { field, limit }: UploadOptions): Promise<Buffer> {
  let found: Promise<Buffer> | undefined;
  try {
    const limits = { fileSize: limit, files: 5, fields: 20, parts: 25, fieldSize: 10_000, headerPairs: 50 };
    const form = new Busboy({ headers: { 'content-type': contentType }, limits });
    form.on('file', (name, file) => {
      if (name !== field || found) {
        file.resume();
        return;
      }
      file.on('limit', () => form.destroy(tooLarge()));
      found = readAll(file, limit);
      // Awaited below, unless the form fails first.
      found.catch(() => undefined);
    });
    body.on('error', (error) => form.destroy(error));
    // A pipeline would destroy the request, so no response could be sent.
    await finished(body.pipe(form), { readable: false });
  } catch (error) {
    throw error instanceof AppError ? error : new AppError('BAD_REQUEST', 'The multipart form cannot be read.', error);
  }
  if (!found) throw new ValidationError({ [field]: [`Send the archive as the form's file field \`${field}\`.`] });
  return found;
}
