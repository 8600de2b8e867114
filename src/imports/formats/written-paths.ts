import { FileFault } from './file-fault.ts';

/** The steps of a record path. Throws FileFault for one that chooses among what is there, as nothing is there yet. */
export function writtenPath(recordPath: string): string[] {
  if (recordPath.includes('['))
    throw new FileFault(
      `The record path ${recordPath} says which of several records to read. Export by a profile with a plain one.`,
    );
  return recordPath.replaceAll('?', '').split('.');
}

/** Throws FileFault for a column around the record, of which the export has no records. */
export function checkWithin(names: readonly string[]): void {
  const around = names.find((name) => name.startsWith('../'));
  if (around !== undefined)
    throw new FileFault(
      `The column "${around}" is around its record, which cannot be written. Export by a profile without it.`,
    );
}
