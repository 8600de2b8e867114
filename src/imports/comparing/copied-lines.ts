import type { ImportColumn, StoredRecords } from '#src/imports/targets/target.ts';

/** A row compared with the record of its key. `unclear`: the database decides whether the row changes something or is refused. */
export type Comparison = 'same' | 'changed' | 'unclear';

/** Compares rows and records that both are lines of COPY's text format, with the columns of a target. */
export interface CopiedLines {
  /** Hashes the key of the line that begins there. */
  hash: (lines: Uint8Array, at: number) => number;
  hasSameKey: (lines: Uint8Array, at: number, others: Uint8Array, other: number) => boolean;
  /** Compares a row and a record with the same key. */
  compare: (rows: Uint8Array, row: number, records: Uint8Array, record: number) => Comparison;
}

const [tab, lineFeed, backslash, capitalN, dot, zero, nine] = [0x09, 0x0a, 0x5c, 0x4e, 0x2e, 0x30, 0x39];
const prime = 0x01000193;

const isEnd = (byte: number | undefined): boolean => byte === tab || byte === lineFeed;

/** Where the next field begins. */
export function afterField(lines: Uint8Array, begin: number): number {
  let at = begin;
  while (!isEnd(lines[at])) at += 1;
  return at + 1;
}

/** Where the next line begins. */
export function afterLine(lines: Uint8Array, begin: number): number {
  let at = begin;
  while (lines[at] !== lineFeed) at += 1;
  return at + 1;
}

/** The place after both fields are read as far as they are the same. */
function lengthOfSame(lines: Uint8Array, at: number, others: Uint8Array, other: number): number {
  let same = 0;
  while (lines[at + same] === others[other + same] && !isEnd(lines[at + same])) same += 1;
  return same;
}

function isSameField(lines: Uint8Array, at: number, others: Uint8Array, other: number): boolean {
  const same = lengthOfSame(lines, at, others, other);
  return isEnd(lines[at + same]) && isEnd(others[other + same]);
}

/** Where a number without a sign begins and ends that has no zeros at its ends; undefined where it is no such number. */
function trimmedNumber(lines: Uint8Array, from: number): { begin: number; end: number } | undefined {
  let point = -1;
  let [begin, end] = [from, from];
  for (; !isEnd(lines[end]); end += 1) {
    const byte = lines[end] as number;
    if (byte === dot && point === -1) point = end;
    else if (byte < zero || byte > nine) return undefined;
  }
  const whole = point === -1 ? end : point;
  while (begin < whole - 1 && lines[begin] === zero) begin += 1;
  if (point === -1) return { begin, end };
  while (end > point + 1 && lines[end - 1] === zero) end -= 1;
  return { begin, end: end === point + 1 ? point : end };
}

function isSameNumber(lines: Uint8Array, at: number, others: Uint8Array, other: number): boolean {
  const [own, its] = [trimmedNumber(lines, at), trimmedNumber(others, other)];
  if (!own || !its || own.end - own.begin !== its.end - its.begin) return false;
  for (let place = 0; place < own.end - own.begin; place += 1)
    if (lines[own.begin + place] !== others[its.begin + place]) return false;
  return true;
}

const isNone = (lines: Uint8Array, at: number): boolean =>
  lines[at] === backslash && lines[at + 1] === capitalN && isEnd(lines[at + 2]);

const hashField = (lines: Uint8Array, begin: number): number => {
  let hash = 0;
  for (let at = begin, byte = lines[at]; byte !== tab && byte !== lineFeed; byte = lines[at]) {
    hash = (Math.imul(hash, 31) + (byte as number)) | 0;
    at += 1;
  }
  return hash;
};

export function createCopiedLines(
  columns: readonly ImportColumn[],
  { key, values }: { key: readonly string[]; values: StoredRecords['values'] },
): CopiedLines {
  const fields = columns.map(({ name, cell }) => ({
    isKey: key.includes(name),
    isNumber: cell.type === 'numeric',
    mayDiffer: values.find((value) => value.name === name)?.mayDiffer === true,
    mayLack: values.find((value) => value.name === name)?.mayLack === true,
  }));
  const keyFields = fields.slice(0, fields.findLastIndex(({ isKey }) => isKey) + 1).map(({ isKey }) => isKey);
  return {
    hash(lines, begin) {
      let hash = 0;
      let at = begin;
      for (const isKey of keyFields) {
        if (isKey) hash = Math.imul(hash, prime) + hashField(lines, at);
        at = afterField(lines, at);
      }
      return hash | 0;
    },
    hasSameKey(lines, begin, others, otherBegin) {
      let at = begin;
      let other = otherBegin;
      for (const isKey of keyFields) {
        if (isKey && !isSameField(lines, at, others, other)) return false;
        at = afterField(lines, at);
        other = afterField(others, other);
      }
      return true;
    },
    compare(rows, rowBegin, records, recordBegin) {
      let row = rowBegin;
      let record = recordBegin;
      let comparison: Comparison = 'same';
      for (const { isKey, isNumber, mayDiffer, mayLack } of fields) {
        const isSame =
          isKey ||
          isSameField(rows, row, records, record) ||
          (mayLack && isNone(rows, row)) ||
          (isNumber && isSameNumber(rows, row, records, record));
        if (!isSame && !mayDiffer) return 'unclear';
        if (!isSame) comparison = 'changed';
        row = afterField(rows, row);
        record = afterField(records, record);
      }
      return comparison;
    },
  };
}
