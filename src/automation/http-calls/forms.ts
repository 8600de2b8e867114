import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';
import { setOwn } from '#src/automation/expressions/json-value.ts';

/** No genuine response exceeds these limits; beyond them, the response stays text. */
const limits = { fields: 1_000, files: 1_000, parts: 1_000, headerPairs: 100, fieldNameSize: 1_024 } as const;

/** The fields of an answer that is a form, or the parts of one that is a multipart form; undefined for any other answer. */
export async function parseForm(contentType: string, body: Uint8Array): Promise<Record<string, unknown> | undefined> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (/^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType)) return urlencoded(bytes);
  if (/^multipart\/form-data\s*;/i.test(contentType)) return multipart(contentType, bytes).catch(() => undefined);
  return undefined;
}

/** Adds a value; one whose name repeats becomes a list. */
function add(form: Record<string, unknown>, name: string, value: unknown): void {
  const before = Object.hasOwn(form, name) ? form[name] : undefined;
  if (before === undefined) setOwn(form, name, value);
  else setOwn(form, name, Array.isArray(before) ? [...(before as unknown[]), value] : [before, value]);
}

function urlencoded(bytes: Buffer): Record<string, unknown> | undefined {
  if (!isUtf8(bytes)) return undefined;
  const fields = [...new URLSearchParams(bytes.toString())];
  if (fields.length > limits.fields) return undefined;
  const form: Record<string, unknown> = {};
  for (const [name, value] of fields) add(form, name, value);
  return form;
}

async function multipart(contentType: string, bytes: Buffer): Promise<Record<string, unknown> | undefined> {
  const size = bytes.byteLength;
  const reader = new Busboy({
    headers: { 'content-type': contentType },
    limits: { ...limits, fileSize: size, fieldSize: size },
  });
  const form: Record<string, unknown> = {};
  let isCut = false;
  const cut = (): void => {
    isCut = true;
  };
  for (const event of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) reader.on(event, cut);
  reader.on('field', (name, value) => add(form, name, value));
  reader.on('file', (name, file, filename, _encoding, type) => {
    const chunks: Buffer[] = [];
    file.on('data', (chunk: Buffer) => chunks.push(chunk));
    file.on('end', () => {
      const data = Buffer.concat(chunks);
      const content = isUtf8(data) ? { content: data.toString() } : { content_base64: data.toString('base64') };
      add(form, name, { filename, content_type: type, ...content });
    });
  });
  await finished(Readable.from([bytes]).pipe(reader), { readable: false });
  return isCut ? undefined : form;
}
