/** What may need a person. */
export const attentionKinds = [
  'failing_runs',
  'dead_letters',
  'destination_disabled',
  'destination_failing',
  'credential_expiring',
  'import_rejects',
  'circuit_open',
  'failed_jobs',
] as const;
export type AttentionKind = (typeof attentionKinds)[number];

/** From the most severe to the least. */
export const severities = ['critical', 'warning', 'info'] as const;
export type Severity = (typeof severities)[number];

/** At most this many of a kind are listed. */
export const maxOfKind = 20;

/** At most this many dead letters and failed jobs are counted. */
export const maxCounted = 10_000;

/** At most this many deliveries of each destination are counted. */
export const maxDeliveries = 500;
/** A delivery is tried three times in the first ten minutes; what fails for less mends itself. */
export const failingMinutes = 10;

/** At most this many failed runs of each group of failures are counted. */
export const maxFailedRuns = 500;
/** How long a group of failures is listed after its last one. */
export const failureHours = 24;

/** How long a faulty import is listed, unless a later one with its profile succeeds. */
export const importDays = 14;

/** The type of the node that each kind opens. */
export const nodeTypes = {
  failing_runs: 'ErrorGroup',
  dead_letters: 'DeadLetter',
  destination_disabled: 'WebhookDestination',
  destination_failing: 'WebhookDestination',
  credential_expiring: 'Credential',
  import_rejects: 'BulkJob',
  circuit_open: 'Installation',
  failed_jobs: 'FailedJob',
} as const satisfies Record<AttentionKind, string>;
export type AttentionNode = (typeof nodeTypes)[AttentionKind];

/** One thing that needs a person, as it is read. */
export interface AttentionRow {
  kind: AttentionKind;
  severity: Severity;
  nodeId: string;
  /** The name of the node, workflow, destination, credential, import profile, extension or job. */
  title: string;
  count: number;
  since: Date;
  /** What the sentence about it is made of, by kind. */
  detail: string | null;
}

const numbered = (count: number, one: string, many: string, most = Infinity): string =>
  `${count >= most ? `${most} or more` : count} ${count === 1 ? one : many}`;

const unsent = (count: number): string =>
  count === 0 ? '' : ` ${numbered(count, 'delivery was not sent.', 'deliveries were not sent.', maxDeliveries)}`;

const disabledBecause: Record<string, string> = {
  gone: 'It was disabled because it answered 410.',
  failing: 'It was disabled after five days without a success.',
  manual: 'Somebody disabled it.',
};

const messages: Record<AttentionKind, (row: AttentionRow) => string> = {
  failing_runs: ({ count, detail }) =>
    `${numbered(count, 'run', 'runs', maxFailedRuns)} failed: ${(detail ?? '').replace(/[.!?]?$/, '.')} Mend the cause, retry ${count === 1 ? 'it' : 'them'}, and resolve the group.`,
  dead_letters: ({ count }) =>
    `${numbered(count, 'firing', 'firings', maxCounted)} did not start a run. Replay or discard ${count === 1 ? 'it' : 'them'}.`,
  destination_disabled: ({ count, detail }) => `${disabledBecause[detail ?? ''] ?? 'It is disabled.'}${unsent(count)}`,
  destination_failing: ({ count, detail }) =>
    `${detail ?? `It has had no success for ${failingMinutes} minutes or longer.`}${unsent(count)}`,
  credential_expiring: ({ detail }) => {
    if (detail === 'revoked') return 'Its authorisation was revoked. Authorise it again.';
    if (detail === 'expired') return 'It has expired. Renew it.';
    return `It expires on ${detail}. Renew it.`;
  },
  import_rejects: ({ count, detail }) =>
    detail === null ? `${numbered(count, 'row was', 'rows were')} rejected.` : `The import failed: ${detail}`,
  circuit_open: ({ count }) =>
    `It was too slow ${numbered(count, 'time', 'times')} and is not called for a few seconds after each. Pages show its blocks empty.`,
  failed_jobs: ({ count }) =>
    `${numbered(count, 'job', 'jobs', maxCounted)} failed at the last attempt. Retry or discard ${count === 1 ? 'it' : 'them'}.`,
};

/** One sentence or two for people: what is wrong, and what to do where that is known. */
export const readMessage = (row: AttentionRow): string => messages[row.kind](row);

/** The most severe first; of the same severity, those that began last. */
export const sortRows = (rows: readonly AttentionRow[]): AttentionRow[] =>
  rows.toSorted(
    (one, other) =>
      severities.indexOf(one.severity) - severities.indexOf(other.severity) ||
      other.since.getTime() - one.since.getTime() ||
      (one.kind + one.nodeId < other.kind + other.nodeId ? -1 : 1),
  );
