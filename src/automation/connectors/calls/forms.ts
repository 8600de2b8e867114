import { filePart, formFile } from '#src/automation/http-calls/form-file.ts';
import { isHeaderValue } from '#src/automation/http-calls/header-text.ts';
import { buildMultipart, type Part } from '#src/automation/http-calls/multipart.ts';
import type { CallBody, MemberEncoding } from '#src/automation/node-api/api-call.ts';
import { isFileReference } from '#src/automation/node-api/file-reference.ts';
import type { FilesPort } from '#src/automation/node-api/ports.ts';
import { asIs, encodeName, encodeText } from './percent.ts';
import { type Pair, toText, writePairs } from './styles.ts';
import { invalid } from './values.ts';

type Members = Readonly<Record<string, unknown>>;

const isJsonType = (type: string | undefined): boolean =>
  type !== undefined && /^application\/(?:[\w.+-]+\+)?json\b/i.test(type);

/** Lists the members that have a value, each with its encoding. */
const given = (members: Members, { encoding = {} }: CallBody): [string, unknown, MemberEncoding][] =>
  Object.entries(members).flatMap(([name, value]) =>
    value === null || value === undefined
      ? []
      : [[name, value, (Object.hasOwn(encoding, name) && encoding[name]) || {}]],
  );

/** Writes a member in its style. Without a style, a list becomes repeated members and an object becomes JSON. */
function writeMember(
  name: string,
  value: unknown,
  { style, explode, content_type: type }: MemberEncoding,
  encode: typeof plain,
): Pair[] {
  if (style !== undefined) {
    return writePairs({ name, style, explode: explode ?? (style === 'form' || style === 'deepObject') }, value, encode);
  }
  if (isJsonType(type)) return [[encode.name(name), encode.value(JSON.stringify(value))]];
  const values = Array.isArray(value) ? value.filter((item) => item !== null && item !== undefined) : [value];
  if (explode === false) return [[encode.name(name), values.map((item) => encode.value(toText(item))).join(',')]];
  return values.map((item): Pair => [encode.name(name), encode.value(toText(item))]);
}

const plain = { name: asIs, value: asIs };
const encoded = { name: encodeName, value: encodeText };

/** Writes a form as application/x-www-form-urlencoded. */
export const writeForm = (members: Members, body: CallBody): string =>
  given(members, body)
    .flatMap(([name, value, encoding]) => writeMember(name, value, encoding, encoded))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');

/** Writes a multipart form. Returns its bytes, and its media type with the boundary. */
export async function writeMultipart(members: Members, body: CallBody, files: FilesPort) {
  const parts: Part[] = [];
  for (const [name, value, encoding] of given(members, body))
    parts.push(...(await writeParts(name, value, encoding, body, files)));
  const { boundary, body: content } = buildMultipart(parts);
  return { content, mediaType: `${body.media_type.split(';', 1)[0]?.trim()}; boundary=${boundary}` };
}

const fileKeys = new Set(['filename', 'content_type', 'content', 'content_base64']);

const isFile = (value: unknown): value is object =>
  isFileReference(value) ||
  (typeof value === 'object' &&
    value !== null &&
    ('content' in value || 'content_base64' in value) &&
    Object.keys(value).every((key) => fileKeys.has(key)));

async function writeParts(
  name: string,
  value: unknown,
  encoding: MemberEncoding,
  body: CallBody,
  files: FilesPort,
): Promise<Part[]> {
  const { style, file } = encoding;
  const contentType = chooseType(encoding.content_type);
  if (contentType !== undefined && !isHeaderValue(contentType))
    throw invalid(body.field, `has a part ${JSON.stringify(name.slice(0, 64))} whose media type cannot be sent.`);
  if (style !== undefined || isJsonType(contentType))
    return textParts(writeMember(name, value, encoding, plain), contentType);
  const values = Array.isArray(value) ? (value as unknown[]) : [value];
  const parts: Part[] = [];
  for (const item of values) {
    if (item === null || item === undefined) continue;
    const asFile = isFile(item) ? item : file === true ? { filename: name, content_base64: item } : undefined;
    const type = contentType ?? (typeof item === 'object' ? 'application/json' : undefined);
    parts.push(
      asFile
        ? await readFile(name, asFile, contentType, body, files)
        : { name, contentType: type, content: toText(item) },
    );
  }
  return parts;
}

/** Chooses the first of several media types. For a range, which cannot be sent, it chooses application/octet-stream. */
function chooseType(given: string | undefined): string | undefined {
  const first = given?.split(',', 1)[0]?.trim();
  return first?.includes('*') ? 'application/octet-stream' : first;
}

const textParts = (pairs: readonly Pair[], contentType: string | undefined): Part[] =>
  pairs.map(([name, content]) => ({ name, contentType, content }));

async function readFile(
  name: string,
  value: object,
  contentType: string | undefined,
  { field }: CallBody,
  files: FilesPort,
): Promise<Part> {
  const file = formFile.safeParse(value);
  if (!file.success)
    throw invalid(
      `${field}.${name}`,
      'must be a file: a file reference, base64 text, or {filename, content_type, content or content_base64}.',
    );
  const part = await filePart(name, file.data, files);
  return { ...part, contentType: part.contentType ?? contentType };
}
