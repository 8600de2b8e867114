import type { FileReference } from '#src/automation/node-api/file-reference.ts';
import type { FilesPort, HttpPort } from '#src/automation/node-api/ports.ts';
import type { ResponseHead } from '#src/infra/egress/request.ts';
import { contentType } from './read-answer.ts';

/** Matches media types whose bodies are put into the outputs as JSON or text. */
const textType =
  /^(text\/|application\/([\w.+-]+\+)?(json|xml|yaml|csv)\b|application\/(x-ndjson|javascript|graphql|x-www-form-urlencoded)\b|multipart\/form-data\b)/i;

/** True for a body that the outputs could hold only as base64, judged by its type. */
const isBinary = (type: string): boolean => type !== '' && !textType.test(type);

/**
 * Stores the body of a successful answer in a file, whatever its type is, or only if it is neither text nor a form. An answer with a status of
 * 300 or more, or with a status that has no content, is read as content.
 */
export function receiveFile(files: FilesPort, which: 'file' | 'auto') {
  const received: { file: FileReference | undefined } = { file: undefined };
  const receive: NonNullable<Parameters<HttpPort['request']>[0]['receive']> = (head) => {
    if (head.status >= 300 || head.status === 204 || head.status === 205) return undefined;
    const type = contentType(head);
    if (which === 'auto' && !isBinary(type)) return undefined;
    return async (body) => {
      received.file = await files.create({ name: nameFrom(head), type }, body);
    };
  };
  return { receive, received };
}

/** For a request whose answer is always read as content. */
export const noFile = { receive: undefined, received: undefined };

/** The name that the server states (RFC 6266), else the last part of the URL. */
function nameFrom({ headers, url }: ResponseHead): string | undefined {
  const given = headers['content-disposition'];
  const disposition = Array.isArray(given) ? (given[0] ?? '') : (given ?? '');
  const encoded = /;\s*filename\*\s*=\s*utf-8'[\w-]*'([^\s;]+)/i.exec(disposition)?.[1];
  const plain = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i.exec(disposition);
  return decode(encoded) ?? (plain ? (plain[1]?.replaceAll(/\\(.)/g, '$1') ?? plain[2]) : lastSegment(url));
}

const lastSegment = (url: string): string | undefined => decode(URL.parse(url)?.pathname.split('/').at(-1));

function decode(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return text;
  }
}
