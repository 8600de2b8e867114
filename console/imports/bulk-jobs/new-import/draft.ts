import { type Columns, readColumns } from './file-head.ts';
import { guessColumns, guessTarget } from './guess-columns.ts';
import { columnOf, type Proposal, proposedSettings, type Settings, type Target } from './settings.ts';

/** A file that was sent and looked at. */
export interface SentFile {
  name: string;
  uploadId: string;
  proposal: Proposal;
  /** Its first bytes. */
  head: Uint8Array;
}

/** The columns of the file by the settings. Those that the browser cannot read have no samples. */
export const columnsFor = ({ head, proposal }: SentFile, settings: Settings): Columns =>
  readColumns(head, settings) ?? {
    names: settings.format === proposal.format ? proposal.columns : [],
    samples: [],
  };

/** The settings that the file seems to need. */
export function draftFor(sent: SentFile, targets: readonly Target[]): Settings {
  const target = guessTarget(targets, sent.proposal.columns);
  const settings = proposedSettings(sent.proposal, target?.name ?? '');
  return { ...settings, mapping: guessColumns(target?.fields ?? [], columnsFor(sent, settings).names) };
}

/** Whether a file has all columns that the settings name, as far as can be seen. */
export function fits(settings: Settings, sent: SentFile): boolean {
  const { names } = columnsFor(sent, settings);
  if (settings.format !== sent.proposal.format) return false;
  return names.length === 0 || Object.values(settings.mapping).every((source) => isIn(names, columnOf(source)));
}

/** Settings by which other columns are found. */
const structure: readonly (keyof Settings)[] = ['target', 'format', 'delimiter', 'encoding', 'header', 'skipLines'];

/** The settings after a change. Where it changes the columns or the fields, those without a column are looked for again. */
export function withChanges(
  before: Settings,
  changes: Partial<Settings>,
  sent: SentFile,
  targets: readonly Target[],
): Settings {
  const after = { ...before, ...changes };
  if (!structure.some((name) => name in changes)) return after;
  const { fields = [] } = targets.find(({ name }) => name === after.target) ?? {};
  const { names } = columnsFor(sent, after);
  const known = new Set(fields.map(({ name }) => name));
  const kept = Object.entries(after.mapping).filter(
    ([field, source]) => known.has(field) && isIn(names, columnOf(source)),
  );
  return { ...after, mapping: { ...guessColumns(fields, names), ...Object.fromEntries(kept) } };
}

const isIn = (names: readonly string[], column: string | undefined): boolean =>
  column === undefined || names.length === 0 || names.includes(column);
