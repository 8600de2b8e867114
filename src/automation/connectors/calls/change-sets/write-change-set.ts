import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { encodeText } from '#src/automation/connectors/calls/percent.ts';
import { invalid } from '#src/automation/connectors/calls/values.ts';
import { isHeaderName, isHeaderValue } from '#src/automation/http-calls/header-text.ts';
import { readConfig } from '#src/automation/node-api/builtin-node.ts';

const maxWrites = 500;
const maxBytes = 8 * 1024 * 1024;
/** Headers that belong to the envelope of a part, or that the credential sets for the whole request. */
const ownHeaders = /^(content-.*|host|connection|transfer-encoding|authorization|cookie)$/i;

const write = z.strictObject({
  method: z.enum(['POST', 'PUT', 'PATCH', 'MERGE', 'DELETE']),
  path: z.string().min(1).max(2_000),
  headers: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).nullish()).nullish(),
  body: z.unknown().optional(),
});
type Write = z.output<typeof write>;

/**
 * Writes a request of OData's $batch with one change set, as multipart/mixed. The Content-ID of a write is its number, so that later ones
 * can refer to what it creates. Throws a NodeError for values that would end a part or lead out of the service.
 */
export function writeChangeSet(value: unknown, field: string): { content: string; mediaType: string } {
  const { [field]: writes = [] } = readConfig(z.object({ [field]: z.array(write).min(1).max(maxWrites) }), {
    [field]: value,
  });
  const [batch, changeSet] = [`batch_${randomUUID()}`, `changeset_${randomUUID()}`];
  const parts = writes.map((each, index) => writePart(each, index + 1, `${field}.${index}`));
  const content = lines(
    `--${batch}`,
    `Content-Type: multipart/mixed; boundary=${changeSet}`,
    '',
    ...parts.flatMap((part) => [`--${changeSet}`, part]),
    `--${changeSet}--`,
    '',
    `--${batch}--`,
    '',
  );
  if (Buffer.byteLength(content) > maxBytes)
    throw invalid(field, `must have at most ${maxBytes} bytes; send several smaller change sets.`);
  return { content, mediaType: `multipart/mixed; boundary=${batch}` };
}

const lines = (...texts: string[]): string => texts.join('\r\n');

function writePart({ method, path, headers, body }: Write, number: number, place: string): string {
  const content = body === undefined || body === null ? undefined : JSON.stringify(body);
  return lines(
    'Content-Type: application/http',
    'Content-Transfer-Encoding: binary',
    `Content-ID: ${number}`,
    '',
    `${method} ${servicePath(path, `${place}.path`)} HTTP/1.1`,
    'Accept: application/json',
    ...Object.entries(headers ?? {}).flatMap(([name, text]) =>
      text === null || text === undefined ? [] : [partHeader(name, String(text), place)],
    ),
    ...(content === undefined
      ? []
      : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(content)}`]),
    '',
    content ?? '',
  );
}

/** A path from the address of the service, which it must not lead out of. */
function servicePath(path: string, place: string): string {
  const relative = path.replace(/^\//, '');
  const encoded = relative.toWellFormed().replaceAll(/[^\u0021-\u007e]+/g, encodeText);
  const segments = (encoded.split(/[?#]/, 1)[0] ?? '').replaceAll(/%(2e|2f|5c)/gi, decodeURIComponent).split(/[/\\]/);
  const isWithin = encoded !== '' && !/^([a-z][a-z0-9+.-]*:|[/\\])/i.test(encoded) && !encoded.includes('#');
  if (isWithin && !segments.some((segment) => segment === '.' || segment === '..')) return encoded;
  throw invalid(place, "must be a path from the service's address, such as Orders('A-1').");
}

function partHeader(name: string, value: string, place: string): string {
  if (isHeaderName(name) && isHeaderValue(value) && !ownHeaders.test(name)) return `${name}: ${value}`;
  throw invalid(`${place}.headers`, `has a header that cannot be sent: ${JSON.stringify(name.slice(0, 64))}.`);
}
