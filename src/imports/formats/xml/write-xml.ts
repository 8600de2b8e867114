import { type ColumnTree, columnTree } from '#src/imports/formats/records/column-tree.ts';
import { copiedRows } from '#src/imports/formats/records/copied-rows.ts';
import { FileFault } from '#src/imports/formats/records/records.ts';
import { checkWithin, writtenPath, type Writer, type WrittenRow } from '#src/imports/formats/records/written.ts';
import { encode } from '#src/imports/formats/text/encode.ts';
import { xmlText } from './xml-text.ts';

const defaultPath = 'rows.row';
const elementName = /^[A-Za-z_][\w-]*$/;

/** An element, or nothing where the record has no value in it. */
function element(name: string, tree: ColumnTree, row: WrittenRow): string {
  let attributes = '';
  let content = tree.place === undefined ? '' : (row[tree.place] ?? '');
  if (content !== '') content = xmlText(content);
  for (const [member, inner] of tree.members) {
    if (!member.startsWith('@')) content += element(member, inner, row);
    else if (inner.place !== undefined && row[inner.place] != null)
      attributes += ` ${member.slice(1)}="${xmlText(row[inner.place] as string)}"`;
  }
  return content === '' && attributes === '' ? '' : `<${name}${attributes}>${content}</${name}>`;
}

function checkNames(path: readonly string[], columns: readonly string[]): void {
  const names = [...path, ...columns.flatMap((column) => column.split('.').map((name) => name.replace(/^@/, '')))];
  const wrong = names.find((name) => !elementName.test(name));
  if (wrong !== undefined) throw new FileFault(`"${wrong}" cannot be the name of an XML element or attribute.`);
}

/** The text of an element is that of the elements in it too, when it is read. */
function checkContents(tree: ColumnTree): void {
  for (const [name, member] of tree.members) {
    if (member.place !== undefined && [...member.members.keys()].some((inner) => !inner.startsWith('@')))
      throw new FileFault(`The column "${name}" is a text and has elements in it. XML takes one of the two.`);
    checkContents(member);
  }
}

/** Records as the elements at the record path, by default `rows.row`; columns `@name` are attributes. */
export const xmlWriter: Writer = {
  mediaType: 'application/xml',
  copies: 'text',
  isForSpreadsheets: false,
  check({ columns, recordPath, namespaces }) {
    const names = columns.map(({ name }) => name);
    if (namespaces != null)
      throw new FileFault('Names with namespaces are only read. Export by a profile without namespaces.');
    checkWithin(names);
    const path = writtenPath(recordPath ?? defaultPath);
    if (path.length < 2)
      throw new FileFault('The record path of XML names the root and its records, such as rows.row.');
    checkNames(path, names);
    checkContents(columnTree(names));
  },
  async *write(copied, { columns, recordPath, encoding }) {
    const path = writtenPath(recordPath ?? defaultPath);
    const record = path.pop() as string;
    const tree = columnTree(columns.map(({ name }) => name));
    async function* whole(): AsyncGenerator<Buffer> {
      const opening = path.map((name) => `<${name}>`).join('');
      yield Buffer.from(`<?xml version="1.0" encoding="${encoding}"?>\n${opening}\n`);
      for await (const rows of copiedRows(copied)) {
        const elements = rows.map((row) => element(record, tree, row) || `<${record}/>`);
        yield Buffer.from(`${elements.join('\n')}\n`);
      }
      const closing = path.toReversed().map((name) => `</${name}>`);
      yield Buffer.from(`${closing.join('')}\n`);
    }
    yield* encode(whole(), encoding);
  },
};
