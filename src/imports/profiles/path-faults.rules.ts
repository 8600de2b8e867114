import { jsonLayout } from '#src/imports/formats/json/json-paths.ts';
import { FileFault } from '#src/imports/formats/records/records.ts';
import { xmlLayout } from '#src/imports/formats/xml/xml-columns.ts';
import type { Mapping } from './mapping.inputs.ts';

/** Where a profile says that records and columns are. */
export interface CheckedPaths {
  format: string;
  mapping: Mapping | null | undefined;
  recordPath?: string | null | undefined;
  namespaces?: Readonly<Record<string, string>> | null | undefined;
}

type Wanted = readonly { name: string; required: boolean }[];

/** The faults of the record path and of the paths of columns, by setting. */
export function pathFaults({
  format,
  mapping,
  recordPath = null,
  namespaces = null,
}: CheckedPaths): Record<string, string[]> {
  const layOut = (wanted: Wanted): unknown =>
    format === 'xml' ? xmlLayout({ wanted, recordPath, namespaces }) : jsonLayout({ wanted, recordPath });
  const faults: Record<string, string[]> = {};
  const check = (setting: string, wanted: Wanted): boolean => {
    try {
      layOut(wanted);
      return true;
    } catch (error) {
      if (!(error instanceof FileFault)) throw error;
      faults[setting] = [error.message];
      return false;
    }
  };
  const isNested = format === 'xml' || format === 'json';
  if (isNested && !check('recordPath', [])) return faults;
  for (const [field, source] of Object.entries(mapping ?? {})) {
    const columns = listColumns(source);
    if (isNested)
      check(
        `mapping.${field}`,
        columns.map((name) => ({ name, required: true })),
      );
    else if (columns.some((name) => name.startsWith('../')))
      faults[`mapping.${field}`] = [`Nothing is around the records of ${format}: leave out "../".`];
  }
  return faults;
}

/** The columns that a field is read from. */
export function listColumns(source: Mapping[string]): readonly string[] {
  if (typeof source === 'string') return [source];
  if ('columns' in source) return source.columns;
  return 'column' in source ? [source.column] : [];
}
