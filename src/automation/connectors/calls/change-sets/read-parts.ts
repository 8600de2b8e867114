import { type Answer, contentType, readAnswer } from '#src/automation/http-calls/read-answer.ts';

/** The answer to one write. */
export interface PartAnswer {
  status: number;
  headers: Answer['headers'];
  body: unknown;
}

/** More parts than a change set can have writes, so that a hostile answer costs little. */
const maxParts = 1_000;
const maxDepth = 2;
/** Characters of the headers of a part, at most. */
const maxHead = 64 * 1024;
const maxType = 500;

/**
 * Reads the HTTP answers in a multipart answer, also within the change sets of a batch, in the order of their Content-IDs. Empty if the
 * answer is not multipart.
 */
export async function readParts(answer: Answer): Promise<PartAnswer[]> {
  const found = listHttpParts(
    contentType(answer),
    Buffer.from(answer.body.buffer, answer.body.byteOffset, answer.body.byteLength).toString('latin1'),
    maxDepth,
  ).slice(0, maxParts);
  const read: { id: number; answer: PartAnswer }[] = [];
  for (const part of found) {
    const { status, headers, content } = readHttp(part.content);
    if (!Number.isInteger(status)) continue;
    const id = Number(part.headers['content-id'] ?? headers['content-id'] ?? Number.NaN);
    const body = Buffer.from(content, 'latin1');
    read.push({ id, answer: await readAnswer({ ...answer, status, headers, body }) });
  }
  const hasIds = read.every(({ id }) => Number.isFinite(id));
  return (hasIds ? read.toSorted((one, other) => one.id - other.id) : read).map((part) => part.answer);
}

interface Part {
  headers: Record<string, string>;
  /** Bytes as Latin-1. */
  content: string;
}

function listHttpParts(type: string, content: string, depth: number): Part[] {
  const boundary = /^multipart\/mixed\b.*?;\s*boundary\s*=\s*("([^"]{1,200})"|[^\s;"]{1,200})/i.exec(
    type.slice(0, maxType),
  );
  if (!boundary || depth === 0) return [];
  return splitParts(content, boundary[2] ?? boundary[1] ?? '').flatMap((part) => {
    const inner = part.headers['content-type'] ?? '';
    return /^application\/http\b/i.test(inner) ? [part] : listHttpParts(inner, part.content, depth - 1);
  });
}

function splitParts(content: string, boundary: string): Part[] {
  const parts: Part[] = [];
  const delimiter = `--${boundary}`;
  let start: number | undefined;
  for (let at = content.indexOf(delimiter); at >= 0 && parts.length < maxParts;) {
    const after = at + delimiter.length;
    const rest = /^(--)?[ \t]{0,100}(?=\r?\n|$)/.exec(content.slice(after, after + 110));
    if (rest && (at === 0 || content[at - 1] === '\n')) {
      if (start !== undefined) parts.push(readHead(content.slice(start, at).replace(/\r?\n$/, '')));
      if (rest[1] !== undefined) break;
      start = after + rest[0].length;
    }
    at = content.indexOf(delimiter, after);
  }
  return parts;
}

/** Splits a part, which begins with the line break after its delimiter, into headers and content. */
function readHead(part: string): Part {
  const text = part.replace(/^\r?\n/, '');
  const isBare = /^\r?\n/.test(text);
  const begin = text.slice(0, maxHead);
  const gap = isBare ? /^\r?\n/.exec(begin) : /\r?\n\r?\n/.exec(begin);
  const head = gap ? begin.slice(0, gap.index) : begin;
  const headers = Object.fromEntries(
    head.split(/\r?\n/).flatMap((line): [string, string][] => {
      const colon = line.indexOf(':');
      return colon > 0 ? [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]] : [];
    }),
  );
  return { headers, content: gap ? text.slice(gap.index + gap[0].length) : '' };
}

function readHttp(text: string): Part & { status: number } {
  const start = text.trimStart();
  const [line = ''] = start.split(/\r?\n/, 1);
  const status = /^HTTP\/\d(?:\.\d)? (\d{3})\b/.exec(line)?.[1];
  const { headers, content } = readHead(start.slice(line.length));
  // Some services end a part with one more line break, which is not part of its body.
  return { status: Number(status ?? Number.NaN), headers, content: withoutLineBreaks(content) };
}

function withoutLineBreaks(text: string): string {
  let end = text.length;
  while (text[end - 1] === '\n' || text[end - 1] === '\r') end -= 1;
  return text.slice(0, end);
}
