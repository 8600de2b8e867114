import type { Change } from '#console/automation/editor/model/changes.ts';
import type { Graph } from '#console/automation/editor/model/graph.ts';
import type { History } from '#console/automation/editor/model/history.ts';
import type { Conflict } from '#console/automation/editor/model/merge.ts';

/** The edit of a draft, and how far the server has it. */
export interface DraftState {
  graph: Graph;
  history: History;
  saving: 'saved' | 'unsaved' | 'saving' | 'unreachable' | 'busy' | 'refused' | 'conflict';
  /** Why it was refused. */
  message?: string;
  /** What this edit and another disagree on; nothing is saved until it is decided. */
  conflicts: readonly Conflict[];
  /** What the other edit changed and this one took over, while there are conflicts. */
  received: readonly Change[];
  /** Whether unsaved changes would survive a crash of this tab. */
  isKept: boolean;
  version: number;
  baseRevision: number;
}
