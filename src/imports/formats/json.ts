import { Tokenizer, TokenParser } from '@streamparser/json';
import { decode } from './decode.ts';
import { FileFault } from './file-fault.ts';
import { boundJson } from './json-bounds.ts';
import { createPicker } from './json-values.ts';
import type { FileRecord, Read } from './records.ts';

/** Bytes of a JSON file, at most. */
const maxBytes = 200 * 1024 * 1024;

/** Numbers stay the text they are in the file: a float would round them. */
class DigitsTokenizer extends Tokenizer {
  readonly #separator: string;
  constructor(separator: string) {
    super();
    this.#separator = separator;
  }
  override parseNumber(text: string): number {
    return text.replace('.', this.#separator) as unknown as number;
  }
}

/** The list at the record path, or at the root, of a JSON file; its records are numbered from 1. */
export const readJson: Read = async function* (bytes, { wanted, recordPath, decimalSeparator }) {
  const pick = createPicker(wanted);
  const path = recordPath === null ? [] : recordPath.split('.');
  const parser = new TokenParser({ paths: [`$.${[...path, '*'].join('.')}`], keepStack: false });
  const tokenizer = new DigitsTokenizer(decimalSeparator);
  let batch: FileRecord[] = [];
  let records = 0;
  let isList = true;
  let failure: Error | undefined;
  parser.onValue = ({ value, key }) => {
    if (typeof key !== 'number') isList = false;
    records += 1;
    bounds.onRecord();
    batch.push(pick(value, records));
  };
  const bounds = boundJson(tokenizer, parser, () => `record ${records}`);
  parser.onError = (error) => (failure ??= error);
  tokenizer.onError = (error) => (failure ??= error);
  const check = (): void => {
    if (failure instanceof FileFault) throw failure;
    if (failure)
      throw new FileFault(
        `The file is no JSON after record ${records}: ${failure.message.replace(/\.$/, '')}. It may be cut short.`,
      );
    if (!isList) throw notThere(recordPath);
  };
  let read = 0;
  for await (const chunk of decode(bytes, 'utf-8')) {
    read += chunk.length;
    if (read > maxBytes)
      throw new FileFault(`A JSON file may have at most ${maxBytes} bytes. Send it in parts, or as NDJSON.`);
    bounds.onChunk(chunk.length);
    tokenizer.write(chunk);
    check();
    if (batch.length === 0) continue;
    yield batch;
    batch = [];
  }
  if (!tokenizer.isEnded) tokenizer.end();
  check();
  if (!parser.isEnded) throw new FileFault(`The JSON ends after record ${records}: the file may be cut short.`);
  if (batch.length > 0) yield batch;
};

const notThere = (recordPath: string | null): FileFault =>
  new FileFault(recordPath === null ? 'The root of the file is no list.' : `There is no list at ${recordPath}.`);
