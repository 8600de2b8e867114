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
  return multipart(contentType, bytes);
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
  return toForm(fields.map(([name, value]) => ({ name, value })));
}

/** One part of a multipart form: the text of a field, or a file. */
export interface FormPart {
  name: string;
  value: string | { filename: string | undefined; type: string; bytes: Buffer };
}

/**
 * The parts of a multipart form in their order; undefined for anything else, for a form that is cut short, and for one whose parts are too many
 * or have no usable names.
 */
export async function readParts(contentType: string, bytes: Buffer): Promise<FormPart[] | undefined> {
  if (!/^multipart\/form-data\s*;/i.test(contentType)) return undefined;
  const size = bytes.byteLength;
  const parts: FormPart[] = [];
  let isCut = false;
  const cut = (): void => {
    isCut = true;
  };
  try {
    const reader = new Busboy({
      headers: { 'content-type': contentType },
      limits: { ...limits, fileSize: size, fieldSize: size },
    });
    for (const event of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) reader.on(event, cut);
    reader.on('field', (name, value, isNameCut) => {
      if (!isUsable(name) || isNameCut) cut();
      else parts.push({ name, value });
    });
    reader.on('file', (name, file, filename, _encoding, type) => {
      if (!isUsable(name)) cut();
      const chunks: Buffer[] = [];
      // Emitted for a form that ends within a file. Without a listener it would end the process.
      file.on('error', cut);
      file.on('data', (chunk: Buffer) => chunks.push(chunk));
      file.on('end', () => void parts.push({ name, value: { filename, type, bytes: Buffer.concat(chunks) } }));
    });
    await finished(Readable.from([bytes]).pipe(reader), { readable: false });
  } catch {
    return undefined;
  }
  return isCut ? undefined : parts;
}

/** The types of the library promise a name, which a part may lack. */
const isUsable = (name: string | undefined): boolean => name !== undefined && name.length <= limits.fieldNameSize;

async function multipart(contentType: string, bytes: Buffer): Promise<Record<string, unknown> | undefined> {
  const parts = await readParts(contentType, bytes);
  return (
    parts &&
    toForm(parts.map(({ name, value }) => ({ name, value: typeof value === 'string' ? value : inline(value) })))
  );
}

function inline({ filename, type, bytes }: Exclude<FormPart['value'], string>) {
  const content = isUtf8(bytes) ? { content: bytes.toString() } : { content_base64: bytes.toString('base64') };
  return { filename, content_type: type, ...content };
}

/** The form's values by name, with a list for each name that repeats. */
export function toForm(values: readonly { name: string; value: unknown }[]): Record<string, unknown> {
  const form: Record<string, unknown> = {};
  for (const { name, value } of values) add(form, name, value);
  return form;
}
