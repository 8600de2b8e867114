import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { StreamedBody } from '#src/infra/egress/request.ts';

/** One part of a multipart form. */
export interface Part {
  name: string;
  filename?: string | undefined;
  contentType?: string | undefined;
  content: string | Uint8Array | StreamedBody;
}

/** Escapes a name as browsers do (HTML standard, multipart/form-data): a quote or a line break would end the header. */
const quoted = (name: string): string =>
  `"${name.toWellFormed().replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')}"`;

/** Builds a multipart form and its boundary. The form is a stream if a part is one. Content types must not contain line breaks. */
export function buildMultipart(parts: Iterable<Part>): { boundary: string; body: Uint8Array | StreamedBody } {
  // No part contains these 144 random bits.
  const boundary = `causeway-${randomBytes(18).toString('hex')}`;
  const chunks = [...parts].flatMap((part) => buildPart(boundary, part));
  chunks.push(Buffer.from(`--${boundary}--\r\n`));
  return { boundary, body: chunks.every(isBytes) ? Buffer.concat(chunks) : joined(chunks) };
}

type Chunk = Uint8Array | StreamedBody;

const isBytes = (chunk: Chunk): chunk is Uint8Array => chunk instanceof Uint8Array;

/** Opens each stream only when the chunks before it have been sent. */
const joined = (chunks: readonly Chunk[]): StreamedBody => ({
  bytes: chunks.reduce((sum, chunk) => sum + (isBytes(chunk) ? chunk.byteLength : chunk.bytes), 0),
  open: async () =>
    Readable.from(
      (async function* read() {
        for (const chunk of chunks) {
          if (isBytes(chunk)) yield chunk;
          else yield* (await chunk.open()) as AsyncIterable<Uint8Array>;
        }
      })(),
      { objectMode: false },
    ),
});

function buildPart(boundary: string, { name, filename, contentType, content }: Part): Chunk[] {
  const lines = [
    `--${boundary}`,
    `Content-Disposition: form-data; name=${quoted(name)}${filename === undefined ? '' : `; filename=${quoted(filename)}`}`,
    ...(contentType === undefined ? [] : [`Content-Type: ${contentType}`]),
    '',
    '',
  ];
  const data = typeof content === 'string' ? Buffer.from(content) : content;
  return [Buffer.from(lines.join('\r\n')), data, Buffer.from('\r\n')];
}
