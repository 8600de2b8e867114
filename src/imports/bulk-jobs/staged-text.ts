/** Rows as COPY's text format has them, which were never text here. */
export interface StagedText {
  /** Begins the row of this number, which is at this line, and has no faults. */
  beginRow: (n: number, line: number) => void;
  /** Adds bytes that need no escapes as the next cell; none of them: no value. */
  addCell: (bytes: Uint8Array, begin: number, end: number) => void;
  endRow: () => void;
  /** How many rows there are to take. */
  rows: () => number;
  /** The rows since they were taken before; what was taken then is written over. */
  take: () => Buffer;
}

const [tab, lineFeed, zero, backslash, capitalN, smallF] = [0x09, 0x0a, 0x30, 0x5c, 0x4e, 0x66];
const firstBytes = 64 * 1024;
/** The longest number with what follows it, or what stands for no value. */
const spare = 16;

/** Rows of a job. */
export function createStagedText(jobId: number): StagedText {
  // One is sent while the next is filled.
  let other = Buffer.allocUnsafeSlow(firstBytes);
  let bytes = Buffer.allocUnsafeSlow(firstBytes);
  let length = 0;
  let rows = 0;
  const makeRoom = (more: number): void => {
    if (length + more <= bytes.length) return;
    const wider = Buffer.allocUnsafeSlow(2 * (length + more));
    bytes.copy(wider, 0, 0, length);
    bytes = wider;
  };
  const add = (byte: number): void => {
    bytes[length] = byte;
    length += 1;
  };
  /** Of at most 31 bits. */
  const addNumber = (value: number): void => {
    let digits = 1;
    for (let left = value; left >= 10; left = (left / 10) | 0) digits += 1;
    for (let at = length + digits - 1, left = value; at >= length; at -= 1) {
      const rest = (left / 10) | 0;
      bytes[at] = zero + left - 10 * rest;
      left = rest;
    }
    length += digits;
  };
  const job = Buffer.from(`${jobId}\t`);
  return {
    beginRow(n, line) {
      rows += 1;
      makeRoom(job.length + 2 * spare);
      for (let at = 0; at < job.length; at += 1) add(job[at] as number);
      addNumber(n);
      add(tab);
      addNumber(line);
      add(tab);
      add(smallF);
    },
    addCell(given, begin, end) {
      makeRoom(end - begin + spare);
      add(tab);
      if (begin === end) {
        add(backslash);
        add(capitalN);
      }
      for (let at = begin; at < end; at += 1) add(given[at] as number);
    },
    endRow() {
      makeRoom(1);
      add(lineFeed);
    },
    rows: () => rows,
    take() {
      const taken = bytes.subarray(0, length);
      [bytes, other] = [other, bytes];
      [length, rows] = [0, 0];
      return taken;
    },
  };
}
