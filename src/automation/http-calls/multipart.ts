import { randomBytes } from 'node:crypto';

/** One part of a multipart form. */
export interface Part {
  name: string;
  filename?: string | undefined;
  contentType?: string | undefined;
  content: string | Uint8Array;
}

/** Escapes a name as browsers do (HTML standard, multipart/form-data): a quote or a line break would end the header. */
const quoted = (name: string): string =>
  `"${name.toWellFormed().replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')}"`;

/** A multipart form and the boundary between its parts. Content types must not contain line breaks. */
export function buildMultipart(parts: Iterable<Part>): { boundary: string; body: Uint8Array } {
  // No part contains these 144 random bits.
  const boundary = `causeway-${randomBytes(18).toString('hex')}`;
  const chunks = [...parts].flatMap((part) => buildPart(boundary, part));
  return { boundary, body: Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]) };
}

function buildPart(boundary: string, { name, filename, contentType, content }: Part): Uint8Array[] {
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
