import { type ColumnTree, columnTree } from '#src/imports/formats/records/column-tree.ts';
import { copiedRows } from '#src/imports/formats/records/copied-rows.ts';
import { FileFault } from '#src/imports/formats/records/records.ts';
import {
  checkWithin,
  writtenPath,
  type Writer,
  type WrittenColumn,
  type WrittenRow,
} from '#src/imports/formats/records/written.ts';

/** Decimals are text, as everywhere in the API; booleans are JSON's. */
function recordWriter(columns: readonly WrittenColumn[]): (row: WrittenRow) => string {
  const write = (tree: ColumnTree, row: WrittenRow): string => {
    if (tree.place === undefined) {
      const members = [...tree.members].map(([name, member]) => `${JSON.stringify(name)}:${write(member, row)}`);
      return `{${members.join(',')}}`;
    }
    const text = row[tree.place] ?? null;
    return text !== null && columns[tree.place]?.type === 'boolean' ? text : JSON.stringify(text);
  };
  const tree = columnTree(columns.map(({ name }) => name));
  return (row) => write(tree, row);
}

function checkTree(tree: ColumnTree): void {
  for (const [name, member] of tree.members) {
    if (member.place !== undefined && member.members.size > 0)
      throw new FileFault(`The column "${name}" is a value and has members. JSON takes one of the two.`);
    checkTree(member);
  }
}

const common = {
  copies: 'text',
  isForSpreadsheets: false,
  check({ columns, recordPath }) {
    const names = columns.map(({ name }) => name);
    checkWithin(names);
    if (recordPath !== null) writtenPath(recordPath);
    checkTree(columnTree(names));
  },
} satisfies Partial<Writer>;

/** A list, at the record path where the profile has one. */
export const jsonWriter: Writer = {
  ...common,
  mediaType: 'application/json',
  async *write(copied, { columns, recordPath }) {
    const record = recordWriter(columns);
    const path = recordPath === null ? [] : writtenPath(recordPath);
    yield Buffer.from(`${path.map((name) => `{${JSON.stringify(name)}:`).join('')}[`);
    let isFirst = true;
    for await (const rows of copiedRows(copied)) {
      yield Buffer.from(`${isFirst ? '\n' : ',\n'}${rows.map(record).join(',\n')}`);
      isFirst = false;
    }
    yield Buffer.from(`\n]${'}'.repeat(path.length)}\n`);
  },
};

/** A record in each line. */
export const ndjsonWriter: Writer = {
  ...common,
  mediaType: 'application/x-ndjson',
  async *write(copied, { columns }) {
    const record = recordWriter(columns);
    for await (const rows of copiedRows(copied)) yield Buffer.from(`${rows.map(record).join('\n')}\n`);
  },
};
