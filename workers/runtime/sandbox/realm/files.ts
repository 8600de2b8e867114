/** `ctx.files`: files are read and written in parts, because a call to the host is limited. */
import { call } from './calls.ts';
import { Utf8Decoder, Utf8Encoder, base64ToBytes, bytesToBase64 } from './text-encoding.ts';

type Reference = { file?: unknown };
type Content = string | Uint8Array | Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

const partBytes = 256 * 1024;

async function read(file: Reference, { offset = 0, length = partBytes }: { offset?: number; length?: number } = {}) {
  const { part } = (await call('files.read', { file: file.file, offset, length })) as { part: string };
  return base64ToBytes(part);
}

async function* parts(file: Reference): AsyncGenerator<Uint8Array> {
  let offset = 0;
  while (true) {
    const part = await read(file, { offset });
    if (part.length > 0) yield part;
    if (part.length < partBytes) return;
    offset += part.length;
  }
}

async function text(file: Reference): Promise<string> {
  const read: Uint8Array[] = [];
  let length = 0;
  for await (const part of parts(file)) {
    read.push(part);
    length += part.length;
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of read) {
    whole.set(part, at);
    at += part.length;
  }
  return new Utf8Decoder().decode(whole);
}

const isWhole = (content: Content): content is string | Uint8Array =>
  typeof content === 'string' || ArrayBuffer.isView(content);

/** Sends pieces in parts of one size, so that a file of many short lines takes few calls. */
async function send(writer: string, content: Content): Promise<void> {
  const part = new Uint8Array(partBytes);
  let used = 0;
  const write = (bytes: Uint8Array): Promise<unknown> => call('files.write', { writer, part: bytesToBase64(bytes) });
  for await (const piece of isWhole(content) ? [content] : content) {
    const bytes = typeof piece === 'string' ? new Utf8Encoder().encode(piece) : piece;
    for (let at = 0; at < bytes.length;) {
      const taken = bytes.subarray(at, at + partBytes - used);
      part.set(taken, used);
      used += taken.length;
      at += taken.length;
      if (used < partBytes) continue;
      await write(part);
      used = 0;
    }
  }
  if (used > 0) await write(part.subarray(0, used));
}

async function create(file: { name?: unknown; type?: unknown } | undefined, content: Content): Promise<unknown> {
  const { writer } = (await call('files.create', { name: file?.name, type: file?.type })) as { writer: string };
  try {
    await send(writer, content);
  } catch (error) {
    await call('files.drop', { writer }).catch(() => undefined);
    throw error;
  }
  return call('files.end', { writer });
}

export const files = { read, parts, text, create };
