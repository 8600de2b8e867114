import { ConflictError } from '#src/infra/errors.ts';
import type { Merge } from './draft-merge.rules.ts';

interface Conflict {
  workflowId: bigint;
  /** What the next save has to name so that it replaces `theirs`. */
  version: number;
  baseRevision: number;
  /** Undefined where the common base is not kept any more. */
  base: unknown;
  mine: unknown;
  theirs: unknown;
  merge: Merge;
}

/** A save whose blob was not made from the present draft, or disagrees with a newer revision. */
export class DraftConflictError extends ConflictError {
  readonly conflict: Conflict;

  constructor(conflict: Conflict) {
    const { merge, version, baseRevision } = conflict;
    const count = merge.conflicts.length;
    const found =
      count === 0
        ? 'The edits merge without conflicts; save'
        : `The edits disagree in ${count === 1 ? 'one place, where' : `${count} places, where`} the merged blob has yours. Decide, then save`;
    super(
      `Another edit was made meanwhile. ${found} the merged blob with version ${version} and baseRevision ${baseRevision}.`,
      { currentVersion: version },
    );
    this.name = 'DraftConflictError';
    this.conflict = conflict;
  }
}
