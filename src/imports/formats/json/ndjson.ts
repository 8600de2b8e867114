import { FileFault, type FileRecord, type Read } from '#src/imports/formats/records/records.ts';
import { decode } from '#src/imports/formats/text/decode.ts';
import { createPicker } from './json-values.ts';

/** Bytes of one record, at most. */
const maxLineBytes = 1024 * 1024;

/** A JSON object in each line, read row by row; empty lines are skipped. */
export const readNdjson: Read = async function* (bytes, { wanted, decimalSeparator }) {
  const pick = createPicker(wanted);
  // Numbers stay the text they are in the file: a float would round them.
  const digits = (_key: string, value: unknown, { source }: { source?: string } = {}): unknown =>
    typeof value === 'number' ? source?.replace('.', decimalSeparator) : value;
  let line = 0;
  const parseRecord = (text: string): FileRecord[] => {
    line += 1;
    if (text.trim() === '') return [];
    try {
      return [pick(JSON.parse(text, digits), line)];
    } catch {
      return [{ line, cells: wanted.map(() => undefined), fault: 'The line is not JSON.' }];
    }
  };
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of decode(bytes, 'utf-8')) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > maxLineBytes)
      throw new FileFault(`Line ${line + lines.length + 1} has more than ${maxLineBytes} bytes.`);
    const records = lines.flatMap(parseRecord);
    if (records.length > 0) yield records;
  }
  const last = parseRecord(rest);
  if (last.length > 0) yield last;
};
