import type { ResultOf } from '#console/graph/graphql.ts';
import type { ImportChoices, ProposeImport } from './new-import.documents.ts';

export type Target = ResultOf<typeof ImportChoices>['importTargets'][number];
export type Profile = ResultOf<typeof ImportChoices>['importProfiles']['edges'][number]['node'];
export type Proposal = Extract<
  ResultOf<typeof ProposeImport>['proposeImportProfile'],
  { proposal: unknown }
>['proposal'];

/** Where a field comes from, as profiles say it: a column, or an object with `column`, `columns` or `value`. */
export type Source = string | Record<string, unknown>;

/** Members of a profile that few files need, so that the page asks for them apart. */
export const otherSettings: ReadonlySet<string> = new Set([
  'mode',
  'absent',
  'quantityBasis',
  'maxRejected',
  'asOf',
  'quote',
  'namespaces',
]);

/** What a profile says of a file. */
export interface Settings {
  target: string;
  format: Proposal['format'];
  delimiter: string;
  encoding: string;
  decimalSeparator: string;
  header: boolean;
  skipLines: number;
  sheet: string | null;
  recordPath: string | null;
  mapping: Readonly<Record<string, Source>>;
  /** Those of `otherSettings` that are set. */
  others: Readonly<Record<string, unknown>>;
}

/** The settings of a file that no profile is chosen for. */
export function proposedSettings(proposal: Proposal, target: string): Settings {
  const { columns: _, ...detected } = proposal;
  return { ...detected, target, sheet: null, recordPath: null, mapping: {}, others: {} };
}

/** The settings of a profile. Fields without a mapping have the column of their own name. */
export function profileSettings(profile: Profile, fields: Target['fields']): Settings {
  const { target, format, delimiter, encoding, decimalSeparator, header, skipLines, sheet, recordPath } = profile;
  return {
    target,
    format,
    delimiter,
    encoding,
    decimalSeparator,
    header,
    skipLines,
    sheet,
    recordPath,
    mapping: (profile.mapping ?? Object.fromEntries(fields.map(({ name }) => [name, name]))) as Settings['mapping'],
    others: Object.fromEntries(
      Object.entries(profile).filter(([name, value]) => otherSettings.has(name) && value !== null),
    ),
  };
}

/** The settings as the graph takes them. */
export const inputOf = ({ others, ...settings }: Settings): Record<string, unknown> => ({ ...others, ...settings });

/** The column that a field comes from; undefined where it comes from several, from a value or from nowhere. */
export function columnOf(source: Source | undefined): string | undefined {
  if (typeof source !== 'object') return source;
  return typeof source['column'] === 'string' ? source['column'] : undefined;
}

/** The value that a field has in every row. */
export const valueOf = (source: Source | undefined): string | undefined =>
  typeof source === 'object' && typeof source['value'] === 'string' ? source['value'] : undefined;

/** The mapping with another source of a field; undefined: none. */
export function withSource(
  mapping: Settings['mapping'],
  field: string,
  source: Source | undefined,
): Settings['mapping'] {
  const { [field]: _, ...others } = mapping;
  return source === undefined ? others : { ...others, [field]: source };
}

/** The source with another column; its transforms stay. */
export const withColumn = (source: Source | undefined, column: string): Source =>
  typeof source === 'object' && columnOf(source) !== undefined ? { ...source, column } : column;
