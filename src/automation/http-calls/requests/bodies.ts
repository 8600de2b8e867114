import { z } from 'zod';
import { filePart, formFile } from '#src/automation/http-calls/form-file.ts';
import { buildMultipart, type Part } from '#src/automation/http-calls/multipart.ts';
import { readConfig } from '#src/automation/node-api/builtin-node.ts';
import { isFileReference } from '#src/automation/node-api/file-reference.ts';
import type { FilesPort, HttpPort } from '#src/automation/node-api/ports.ts';
import type { HttpConfig } from './config.ts';

type Body = Parameters<HttpPort['request']>[0]['body'];

const scalar = z.union([z.string(), z.number(), z.boolean()]);

const nested =
  'must be text, a number, true or false, or a list of these; write the name of a nested value as it is sent, such as address[city].';

const formFields = z.record(z.string().max(256), z.union([scalar, z.array(scalar)], nested).nullish());

const part = z.union(
  [scalar, formFile],
  'must be text, a number, true or false, a file reference, or {filename, content_type, content or content_base64}.',
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

/** Builds the body and sets its content type among the headers. Text and files are sent unchanged, anything else as `body_type` says. */
export async function buildBody(config: HttpConfig, headers: Record<string, string>, files: FilesPort): Promise<Body> {
  const { body } = config;
  if (body === undefined || body === null) return null;
  if (isFileReference(body)) {
    const { type, size, stream } = await files.open(body);
    headers['content-type'] ??= type;
    return { bytes: size, open: stream };
  }
  const kind = chooseKind(config, headers);
  if (kind === 'multipart') return multipartBody(body, headers, files);
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

async function multipartBody(body: unknown, headers: Record<string, string>, files: FilesPort): Promise<Body> {
  const form = buildMultipart(await listParts(within(parts, body), files));
  headers['content-type'] = `multipart/form-data; boundary=${form.boundary}`;
  return form.body;
}

async function listParts(members: z.output<typeof parts>, files: FilesPort): Promise<Part[]> {
  const listed: Part[] = [];
  for (const [name, value] of Object.entries(members)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each === null || each === undefined) continue;
      listed.push(typeof each === 'object' ? await filePart(name, each, files) : { name, content: String(each) });
    }
  }
  return listed;
}
