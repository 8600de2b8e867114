import { FileFault } from '#src/imports/formats/records/records.ts';

const [lineFeed, carriageReturn] = [0x0a, 0x0d];
/** Bytes before the header, at most. */
const maxBytes = 1024 * 1024;
/** Spreadsheets write the delimiter of a file into its first line, and do not show it. */
const separatorLine = /^"?sep=([\t -~])"?$/i;

export interface FirstLines {
  /** Lines that are skipped. */
  lines: number;
  /** The cell separator that a line `sep=;` names. */
  delimiter: string | undefined;
  /** The bytes after the skipped lines. */
  rest: AsyncGenerator<Buffer>;
}

/** Skips the first lines of UTF-8, and a first line that says what separates cells, which counts among them. */
export async function skipFirstLines(bytes: AsyncIterable<Buffer>, skip: number): Promise<FirstLines> {
  const source = bytes[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  let isEnded = false;
  const more = async (): Promise<boolean> => {
    if (isEnded) return false;
    const { done, value } = await source.next();
    isEnded = done === true;
    if (!isEnded) head = head.length > 0 ? Buffer.concat([head, value as Buffer]) : (value as Buffer);
    return !isEnded;
  };
  /** Reads so many bytes, where the file has them. */
  const fill = async (bytesNeeded: number): Promise<void> => {
    let hasMore = true;
    while (head.length < bytesNeeded && hasMore) hasMore = await more();
  };
  /** The end of the line that begins there, with its line break; undefined where the file ends before. */
  const endOfLine = async (begin: number): Promise<number | undefined> => {
    for (let at = begin; ; at += 1) {
      if (at + 1 >= head.length) await fill(at + 2);
      if (at >= head.length) return undefined;
      if (at > maxBytes) throw new FileFault(`The first ${skip} lines have more than ${maxBytes} bytes.`);
      if (head[at] === lineFeed) return at + 1;
      if (head[at] === carriageReturn) return head[at + 1] === lineFeed ? at + 2 : at + 1;
    }
  };
  async function* rest(begin: number): AsyncGenerator<Buffer> {
    try {
      if (begin < head.length) yield head.subarray(begin);
      if (!isEnded) yield* { [Symbol.asyncIterator]: () => source };
    } finally {
      await source.return?.();
    }
  }

  await fill('"sep='.length);
  const mayState = /^"?sep=/i.test(head.toString('latin1', 0, '"sep='.length));
  const firstEnd = mayState ? ((await endOfLine(0)) ?? head.length) : 0;
  const delimiter = separatorLine.exec(head.toString('latin1', 0, firstEnd).replace(/[\r\n]+$/, ''))?.[1];
  const lines = delimiter === undefined ? skip : Math.max(skip, 1);
  let at = 0;
  for (let line = 0; line < lines; line += 1) at = (await endOfLine(at)) ?? head.length;
  return { lines, delimiter, rest: rest(at) };
}
