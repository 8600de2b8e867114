import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { readConfig } from '#src/automation/node-api/builtin-node.ts';
import type { HttpConfig } from './config.ts';

type Body = string | Uint8Array | null;

const scalar = z.union([z.string(), z.number(), z.boolean()]);

const nested =
  'must be text, a number, true or false, or a list of these; write the name of a nested value as it is sent, such as address[city].';

const formFields = z.record(z.string().max(256), z.union([scalar, z.array(scalar)], nested).nullish());

const file = z
  .object({
    filename: z.string().max(255).optional(),
    content_type: z
      .string()
      .max(256)
      .regex(/^[\w.+-]+\/[\w.+-]+(;\s*[\w-]+=("[^"\r\n]*"|[\w.+-]+))*$/, 'must be a media type, such as text/csv.')
      .optional(),
    content: z.string().optional(),
    content_base64: z
      .string()
      .regex(/^[A-Za-z0-9+/]*={0,2}$/, 'must be base64.')
      .optional(),
  })
  .refine(
    ({ content, content_base64: bytes }) => (content === undefined) !== (bytes === undefined),
    'needs exactly one of content and content_base64.',
  );

const part = z.union(
  [scalar, file],
  'must be text, a number, true or false, or {filename, content_type, content or content_base64}.',
);
const parts = z.record(z.string().max(256), z.union([part, z.array(part).max(1_000)]).nullish());

/** The format of the request body: from the config, else from the content type. */
function chooseKind(
  { body_type: given, body }: HttpConfig,
  headers: Record<string, string>,
): 'json' | 'form' | 'multipart' {
  if (given) return given;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return 'json';
  const type = headers['content-type'] ?? '';
  if (/^application\/x-www-form-urlencoded\b/i.test(type)) return 'form';
  return /^multipart\/form-data\b/i.test(type) ? 'multipart' : 'json';
}

/** The body as it is sent; sets the content type among the headers. Text is sent unchanged, anything else as `body_type` says. */
export function buildBody(config: HttpConfig, headers: Record<string, string>): Body {
  const { body } = config;
  if (body === undefined || body === null) return null;
  const kind = chooseKind(config, headers);
  if (kind === 'multipart') return multipartBody(body, headers);
  if (kind === 'form') headers['content-type'] ??= 'application/x-www-form-urlencoded';
  if (typeof body === 'string') return body;
  if (kind === 'form') return formBody(body);
  headers['content-type'] ??= 'application/json';
  return JSON.stringify(body);
}

/** The body, checked by the schema. Throws a NodeError that names the member at fault. */
function within<T>(schema: z.ZodType<T>, body: unknown): T {
  const read: { body: T } = readConfig(z.object({ body: schema }), { body });
  return read.body;
}

function formBody(body: unknown): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(within(formFields, body))) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== null && each !== undefined) form.append(name, String(each));
    }
  }
  return form.toString();
}

/** Escapes a name as browsers do (HTML standard, multipart/form-data): a quote or a line break would end the header. */
const quoted = (name: string): string =>
  `"${name.toWellFormed().replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')}"`;

function multipartBody(body: unknown, headers: Record<string, string>): Uint8Array {
  // No part contains these 144 random bits.
  const boundary = `causeway-${randomBytes(18).toString('hex')}`;
  headers['content-type'] = `multipart/form-data; boundary=${boundary}`;
  const chunks: Buffer[] = [];
  for (const [name, value] of Object.entries(within(parts, body))) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== null && each !== undefined) chunks.push(...buildPart(boundary, name, each));
    }
  }
  return Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]);
}

function buildPart(boundary: string, name: string, value: z.output<typeof part>): Buffer[] {
  const given = typeof value === 'object' ? value : { content: String(value) };
  const { filename, content_type: type, content, content_base64: bytes }: z.output<typeof file> = given;
  const lines = [
    `--${boundary}`,
    `Content-Disposition: form-data; name=${quoted(name)}${filename === undefined ? '' : `; filename=${quoted(filename)}`}`,
    ...(type === undefined ? [] : [`Content-Type: ${type}`]),
    '',
    '',
  ];
  const data = content === undefined ? Buffer.from(bytes ?? '', 'base64') : Buffer.from(content);
  return [Buffer.from(lines.join('\r\n')), data, Buffer.from('\r\n')];
}
