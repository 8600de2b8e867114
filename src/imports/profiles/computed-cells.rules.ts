import { FileFault, type CellValue, type FileRecord } from '#src/imports/formats/records/records.ts';
import { Fault } from '#src/imports/targets/cells.ts';
import type { Expressions, ItemResult } from '#src/imports/targets/import-deps.ts';

/** A cell that an expression makes of others. */
export interface ComputedCell {
  expression: string;
  /** The members of `item` in the expression, by name, with the places of their cells. */
  columns: readonly { name: string; place: number }[];
}

/** The time that all expressions of a file may take together: a million rows of a few hundred microseconds. */
export const longComputing = 30 * 60_000;

/** Adds what the expressions make of the cells of each record behind them, in their order. Throws FileFault where that takes too long. */
export function createComputing(
  { compile, maxMs }: Pick<Expressions, 'compile'> & { maxMs: number },
  computed: readonly ComputedCell[],
  { decimalSeparator }: { decimalSeparator: string },
): (records: readonly FileRecord[]) => Promise<void> {
  let spentMs = 0;
  const computings = computed.map(({ expression, columns }) => {
    const evaluate = compile(expression);
    return async ({ cells }: FileRecord): Promise<CellValue> => {
      const fault = columns.map(({ place }) => cells[place]).find((cell) => cell instanceof Fault);
      const item = Object.fromEntries(columns.map(({ name, place }) => [name, cells[place]]));
      return fault ?? toCell(await evaluate(item), decimalSeparator);
    };
  });
  return async (records) => {
    for (const record of records) {
      const started = performance.now();
      // Only of the file's own cells, as none is pushed before all are there.
      const made: CellValue[] = [];
      for (const compute of computings) made.push(await compute(record));
      record.cells.push(...made);
      spentMs += performance.now() - started;
      if (spentMs > maxMs)
        throw new FileFault(`The expressions of the profile take more than ${maxMs / 1_000} s. Make them simpler.`);
    }
  };
}

function toCell(result: ItemResult, decimalSeparator: string): CellValue {
  if ('reason' in result) return new Fault(`The expression failed: ${result.reason}`);
  const { value } = result;
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  return typeof value === 'number' ? String(value).replace('.', decimalSeparator) : notOne;
}

const notOne = new Fault('The expression answers an object or a list. Let it answer a text, a number or a boolean.');
