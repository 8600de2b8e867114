import { useState } from 'react';
import type { FieldFocus } from '#console/automation/editor/form/focus-field.ts';
import type { Issue } from './problems.tsx';

interface Place {
  index: number;
  issue: Issue;
}

/** The index of the next or the previous problem. What was mended has left the list, and the one after it has taken its place. */
export function stepTo(issues: readonly Issue[], from: Place | undefined, step: 1 | -1): number {
  const count = issues.length;
  if (!from) return step === 1 ? 0 : count - 1;
  const isThere = isSameIssue(issues[from.index], from.issue);
  const next = from.index + (step === 1 && !isThere ? 0 : step);
  return (next + count) % count;
}

const isSameIssue = (one: Issue | undefined, other: Issue): boolean =>
  one !== undefined && one.node === other.node && one.field === other.field && one.message === other.message;

/** Goes through the problems one by one; `open` shows the node of each. */
export function useProblemWalk(issues: readonly Issue[], open: (path: string) => void) {
  const [focus, setFocus] = useState<FieldFocus>();
  const [place, setPlace] = useState<Place>();
  const jump = (index: number) => {
    const issue = issues[index];
    if (!issue) return;
    setPlace({ index, issue });
    const { node: path, field } = issue;
    if (path === null) return;
    open(path);
    setFocus({ path, field });
  };
  return {
    /** The index of the problem that was visited last, while it stands. */
    at: place && isSameIssue(issues[place.index], place.issue) ? place.index : undefined,
    /** The field of that problem. */
    focus,
    jump,
    step: (by: 1 | -1) => (issues.length > 0 ? jump(stepTo(issues, place, by)) : undefined),
  };
}
