import { Tokenizer, TokenParser } from '@streamparser/json';
import { createParentCells } from '#src/imports/formats/records/parent-cells.ts';
import { FileFault, type FileRecord, type Reading } from '#src/imports/formats/records/records.ts';
import { boundJson } from './json-bounds.ts';
import type { JsonLayout, JsonParentColumn } from './json-paths.ts';
import { JsonTrail } from './json-trail.ts';
import { toCell, createPicker } from './json-values.ts';

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
  /** Throws FileFault where the file is cut short, or the record path leads nowhere. */
  end: () => void;
}

export function createJsonRecords(
  { wanted, recordPath, decimalSeparator }: Pick<Reading, 'wanted' | 'recordPath' | 'decimalSeparator'>,
  { containers, parents }: JsonLayout,
  handOver: (record: FileRecord) => void,
): JsonRecords {
  const pick = createPicker(wanted);
  const ofRecords = containers.map((each) => (each.kind === 'object' ? each.key : '*'));
  const around = createParentCells(parents, handOver);
  const take = parents.length === 0 ? handOver : around.take;
  const parentPaths = parents.map((column) => ({
    ...column,
    path: [...ofRecords.slice(0, column.level), ...column.members],
  }));
  const parser = new TokenParser({
    paths: [ofRecords, ...parentPaths.map(({ path }) => path)].map((path) => ['$', ...path].join('.')),
    keepStack: false,
  });
  const tokenizer = new DigitsTokenizer(decimalSeparator);
  const trail = new JsonTrail(containers, {
    recordPath,
    open: around.open,
    close(level) {
      around.close(level);
      bounds.onEndOfParent();
    },
  });
  let records = 0;
  let failure: Error | undefined;
  const matchesTrail = (
    { level, path }: JsonParentColumn & { path: readonly string[] },
    keys: readonly unknown[],
  ): boolean =>
    trail.matched > level && path.length === keys.length && path.every((name, at) => name === '*' || name === keys[at]);
  parser.onValue = ({ value, key, stack }) => {
    if (parentPaths.length > 0 && (typeof key === 'string' || !trail.isAtRecords)) {
      const keys = [...stack.slice(1).map((each) => each.key), key];
      for (const column of parentPaths) if (matchesTrail(column, keys)) around.set(column.place, toCell(value));
      return;
    }
    if (!trail.isAtRecords) return;
    records += 1;
    bounds.onRecord();
    take(pick(value, records));
  };
  const bounds = boundJson(tokenizer, { parser, trail }, () => `record ${records}`);
  parser.onError = (error) => (failure ??= error);
  tokenizer.onError = (error) => (failure ??= error);
  const check = (): void => {
    if (failure instanceof FileFault) throw failure;
    if (failure)
      throw new FileFault(
        `The file is not JSON after record ${records}: ${withoutPlace(failure.message)}. It may be cut short.`,
      );
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
      if (!parser.isEnded) throw new FileFault(`The JSON ends after record ${records}: the file may be cut short.`);
      trail.end(records === 0);
    },
  };
}

/** The parser counts places from the beginning of a chunk, which says nothing to a sender. */
const withoutPlace = (message: string): string =>
  message.replace(/ at chunk position .* in state /, ' in state ').replace(/\.$/, '');
