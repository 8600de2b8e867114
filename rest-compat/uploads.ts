import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { AppError, ValidationError } from '#src/platform/errors.ts';

const tooLarge = () => new AppError('PAYLOAD_TOO_LARGE');

/**
 * The bytes of an uploaded file: the whole body, or the file of a multipart form's field `field`. Throws PAYLOAD_TOO_LARGE
 * past `limit` bytes, BAD_REQUEST for a form that cannot be read, ValidationError where the field is missing.
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

async function readAll(body: Readable, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function readForm(body: Readable, contentType: string, { field, limit }: UploadOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const unreadable = (cause: unknown) =>
      reject(new AppError('BAD_REQUEST', 'The multipart form cannot be read.', cause));
    let form: InstanceType<typeof Busboy>;
    try {
      const limits = { fileSize: limit, files: 5, fields: 20, parts: 25, fieldSize: 10_000, headerPairs: 50 };
      form = new Busboy({ headers: { 'content-type': contentType }, limits });
    } catch (cause) {
      unreadable(cause);
      return;
    }
    let found: Promise<Buffer> | undefined;
    form.on('file', (name, file) => {
      if (name !== field || found) {
        file.resume();
        return;
      }
      file.on('limit', () => reject(tooLarge()));
      found = readAll(file, limit);
      found.catch(reject);
    });
    form.on('error', unreadable);
    form.on('finish', () =>
      found
        ? found.then(resolve, reject)
        : reject(new ValidationError({ [field]: [`Send the archive as the form's file field \`${field}\`.`] })),
    );
    body.on('error', unreadable);
    body.pipe(form);
  });
}
