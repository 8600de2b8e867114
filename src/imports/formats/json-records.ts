import { Tokenizer, TokenParser } from '@streamparser/json';
import { FileFault } from './file-fault.ts';
import { boundJson } from './json-bounds.ts';
import { createPicker } from './json-values.ts';
import type { FileRecord, Reading } from './records.ts';

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

/** Reads the list at the record path, or at the root. */
export interface JsonRecords {
  /** Throws FileFault. */
  write: (bytes: Buffer) => void;
  /** Throws FileFault where the file is cut short. */
  end: () => void;
  /** Whether the last token that was written ends a record. */
  isBetween: () => boolean;
}

export function createJsonRecords(
  { wanted, recordPath, decimalSeparator }: Pick<Reading, 'wanted' | 'recordPath' | 'decimalSeparator'>,
  { take, line }: { take: (record: FileRecord) => void; line: () => number },
): JsonRecords {
  const pick = createPicker(wanted);
  const path = recordPath === null ? [] : recordPath.split('.');
  const parser = new TokenParser({ paths: [`$.${[...path, '*'].join('.')}`], keepStack: false });
  const tokenizer = new DigitsTokenizer(decimalSeparator);
  let isList = true;
  let failure: Error | undefined;
  parser.onValue = ({ value, key }) => {
    if (typeof key !== 'number') isList = false;
    bounds.onRecord();
    take(pick(value, line() + 1));
  };
  const bounds = boundJson(tokenizer, parser, () => `record ${line()}`);
  parser.onError = (error) => (failure ??= error);
  tokenizer.onError = (error) => (failure ??= error);
  const check = (): void => {
    if (failure instanceof FileFault) throw failure;
    if (failure)
      throw new FileFault(
        `The file is not JSON after record ${line()}: ${withoutPlace(failure.message)}. It may be cut short.`,
      );
    if (!isList) throw notThere(recordPath);
  };
  return {
    write(bytes) {
      bounds.onChunk(bytes.length);
      tokenizer.write(bytes);
      check();
    },
    end() {
      if (!tokenizer.isEnded) tokenizer.end();
      check();
      if (!parser.isEnded) throw new FileFault(`The JSON ends after record ${line()}: the file may be cut short.`);
    },
    isBetween: bounds.isBetween,
  };
}

const notThere = (recordPath: string | null): FileFault =>
  new FileFault(recordPath === null ? 'The root of the file is not a list.' : `There is no list at ${recordPath}.`);

/** Places are counted in what was parsed, which is not all of the file. */
const withoutPlace = (message: string): string =>
  message.replace(/ at chunk position .* in state /, ' in state ').replace(/\.$/, '');
