import { isObject } from '#console/automation/editor/model/graph.ts';
import type { Conflict } from '#console/automation/editor/model/merge.ts';
import { type FieldChange, fieldChanges } from '#console/automation/editor/model/summary.ts';

/** What two edits disagree on about one thing: a node with its place, an edge, a note or a setting. */
export interface ConflictGroup {
  /** `node:each/send`, also where only its place is disputed. */
  key: string;
  kind: string;
  name: string;
  conflicts: readonly Conflict[];
}

export type Side = 'mine' | 'theirs';

/** One thing to decide for each node, whose place goes with it. */
export function groupConflicts(conflicts: readonly Conflict[]): ConflictGroup[] {
  const groups = Map.groupBy(conflicts, ({ key }) => key.replace(/^place:/, 'node:'));
  return [...groups].map(([key, own]) => ({
    key,
    kind: key.slice(0, key.indexOf(':')),
    name: key.slice(key.indexOf(':') + 1),
    conflicts: own,
  }));
}

/** What one side did; it may have removed the thing that the other changed. */
export const isRemovedBy = ({ conflicts }: ConflictGroup, side: Side): boolean =>
  conflicts.every((conflict) => conflict[side] === undefined);

/** The values that one side changed since both began. */
export const changedBy = ({ conflicts }: ConflictGroup, side: Side): FieldChange[] =>
  conflicts.flatMap((conflict) => {
    const [before, after] = [conflict.base, conflict[side]];
    const isWhole = isObject(before) || isObject(after);
    return fieldChanges(isWhole ? (before ?? {}) : before, isWhole ? (after ?? {}) : after);
  });
