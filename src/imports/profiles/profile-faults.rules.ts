import type { Expressions } from '#src/imports/targets/import-deps.ts';
import type { Mapping } from './mapping.inputs.ts';
import { listColumns } from './path-faults.rules.ts';

/** The settings of a profile that depend on one another; what is left out is as it is by default. */
export interface CheckedProfile {
  format: string;
  mapping: Mapping | null | undefined;
  delimiter?: string | null | undefined;
  quote?: string | null | undefined;
  header?: boolean | null | undefined;
}

/** Formats whose columns have no names where a header is missing. */
const tables = new Set(['csv', 'xlsx']);

const unnamed = 'Name the number of the column, from "1" on: without a header, columns have no names.';

/** The faults of a profile, except those of the fields that it maps, by setting. */
export function profileFaults(
  { format, mapping, delimiter, quote, header }: CheckedProfile,
  { findFault }: Pick<Expressions, 'findFault'>,
): Record<string, string[]> {
  const faults: Record<string, string[]> = {};
  const isUnnamed = header === false && tables.has(format);
  if (quote != null && quote === (delimiter ?? ',')) faults['quote'] = ['Use another character than the delimiter.'];
  if (isUnnamed && !mapping) faults['mapping'] = ['Map the fields to the numbers of their columns.'];
  for (const [field, source] of Object.entries(mapping ?? {})) {
    const fault = typeof source === 'object' && 'expression' in source ? findFault(source.expression) : undefined;
    if (fault !== undefined) faults[`mapping.${field}`] = [fault];
    else if (isUnnamed && !listColumns(source).every((name) => /^[1-9]\d{0,4}$/.test(name)))
      faults[`mapping.${field}`] = [unnamed];
  }
  return faults;
}
