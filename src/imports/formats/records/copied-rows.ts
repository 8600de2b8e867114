import type { WrittenRow } from './written.ts';

/** The rows of what COPY sends in its text format, some at a time. */
export async function* copiedRows(copied: AsyncIterable<Buffer>): AsyncGenerator<WrittenRow[]> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of copied) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    // The text format escapes line breaks, and no other character of UTF-8 has this byte.
    const end = bytes.lastIndexOf(0x0a) + 1;
    rest = bytes.subarray(end);
    if (end === 0) continue;
    const lines = bytes.toString('utf8', 0, end - 1).split('\n');
    yield lines.map((line) => line.split('\t').map(unescapeCell));
  }
}

const escapes: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

function unescapeCell(text: string): string | null {
  if (!text.includes('\\')) return text;
  if (text === '\\N') return null;
  return text.replace(/\\(.)/g, (_all, letter: string) => escapes[letter] ?? letter);
}
