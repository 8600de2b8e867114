/** An attempt at a node, as the timeline shows it. */
export interface Attempt {
  id: string;
  path: string;
  nodeId: string;
  attempt: number;
  status: string;
  startedAt: string;
  completedAt: string | null;
  /** The instant at which a waiting step resumes by itself, or at which a failed step is attempted again. */
  wakeAt: string | null;
}

/** The attempts at one place of a run, in order. */
export interface TimelineRow {
  path: string;
  /** The id of the node. */
  name: string;
  /** The rounds of loops around it, such as `each/3/`; empty outside of loops. */
  round: string;
  attempts: Attempt[];
}

/** One row for each path, in the order in which their first attempts began; the rows of one round of a loop stand together. */
export function timelineRows(attempts: Iterable<Attempt>): TimelineRow[] {
  const rows = new Map<string, TimelineRow>();
  for (const attempt of startsOfLoops([...attempts]).toSorted(byStart)) {
    const { path } = attempt;
    const end = path.lastIndexOf('/') + 1;
    const row = rows.get(path) ?? { path, name: path.slice(end), round: path.slice(0, end), attempts: [] };
    row.attempts.push(attempt);
    rows.set(path, row);
  }
  for (const { attempts: own } of rows.values()) own.sort((a, b) => a.attempt - b.attempt);
  // A group is where its first row is, as a Map keeps the order of its keys.
  return [...Map.groupBy(rows.values(), ({ round, path }) => round || path).values()].flat();
}

/** A loop whose run waited is started anew by the server each time that it goes on; it began no later than its first round. */
function startsOfLoops(attempts: readonly Attempt[]): Attempt[] {
  const first = new Map<string, string>();
  for (const { path, startedAt } of attempts) {
    const loop = path.split('/').slice(0, -2).join('/');
    const known = first.get(loop);
    if (known === undefined || Date.parse(startedAt) < Date.parse(known)) first.set(loop, startedAt);
  }
  return attempts.map((attempt) => {
    const began = attempt.attempt === 1 ? first.get(attempt.path) : undefined;
    return began !== undefined && Date.parse(began) < Date.parse(attempt.startedAt)
      ? { ...attempt, startedAt: began }
      : attempt;
  });
}

const byStart = (a: Attempt, b: Attempt): number =>
  Date.parse(a.startedAt) - Date.parse(b.startedAt) || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);

/** What the server leaves of the steps of a run. */
export interface AttemptFilter {
  nodePath?: string;
  pathPrefix?: string;
  status?: string[];
}

/** The path of a step's node: `each/send` for the step `each/3/send`. */
const withoutItems = (path: string): string => path.replaceAll(/\/\d+\//g, '/');

/** Whether the filter leaves an attempt, as the server decides it. */
export const matchesFilter = (attempt: Attempt, { nodePath, pathPrefix, status }: AttemptFilter): boolean =>
  (nodePath === undefined || withoutItems(attempt.path) === nodePath) &&
  (pathPrefix === undefined || attempt.path.startsWith(pathPrefix)) &&
  (!status?.length || status.includes(attempt.status));

/** A part of a row's bar, in fractions of the width. */
export interface Bar {
  attempt: Attempt;
  /** `retry`: the time between a failed attempt and the next. */
  kind: 'attempt' | 'retry';
  from: number;
  to: number;
}

/** The bars of a row. `until` is where what has not ended is drawn to, in epoch milliseconds. */
export function barsOf({ attempts }: TimelineRow, placeOf: (at: number) => number, until: number): Bar[] {
  return attempts.flatMap((attempt, index) => {
    const end = endOf(attempt, until);
    const bar: Bar = { attempt, kind: 'attempt', from: placeOf(Date.parse(attempt.startedAt)), to: placeOf(end) };
    const next = attempts[index + 1];
    const resumes = next ? Date.parse(next.startedAt) : attempt.status === 'FAILED' && attempt.wakeAt ? until : end;
    return resumes > end ? [bar, { attempt, kind: 'retry', from: bar.to, to: placeOf(resumes) }] : [bar];
  });
}

export const endOf = ({ startedAt, completedAt }: Attempt, until: number): number =>
  completedAt === null ? Math.max(until, Date.parse(startedAt)) : Date.parse(completedAt);
