import { useMemo, useState, useSyncExternalStore } from 'react';
import { notify } from '#console/ui/notices.ts';
import { enumWord } from '#console/words/enums.ts';
import { nameIn, type Trigger } from './canvas/canvas-elements.ts';
import { type Heights, nodeHeights, placesOf } from './canvas/places.ts';
import type { DraftSession } from './draft/draft-session.ts';
import type { DraftState } from './draft/draft-state.ts';
import { editorWords as w } from './editor.words.ts';
import { type Command, disconnect, note, remove } from './model/commands.ts';
import { fix } from './model/fix.ts';
import { type Edge, edgeKey, edgesOf, type Graph, idOf, nodeAt, noteKey, notesOf, type Point } from './model/graph.ts';
import type { Definitions } from './node-shape.ts';
import type { Issue } from './panels/problems.tsx';
import { problemWords } from './panels/problems.words.ts';
import type { Sample } from './sample/use-sample.ts';
import { stillDrawn, selectedAfterUndo } from './selection.ts';
import { type Trial, useTrial } from './trial/use-trial.ts';
import type { Upgrading } from './upgrades/use-upgrading.ts';

/** The state that the parts of the editor share, and the functions that change it. */
export interface Editing {
  state: DraftState;
  graph: Graph;
  triggers: readonly Trigger[];
  definitions: Definitions;
  places: ReadonlyMap<string, Point>;
  heights: Heights;
  issues: readonly Issue[];
  /** Changes the graph as an issue says. */
  applyFix: (issue: Issue) => void;
  /** The number of problems, by the path of their node. */
  problems: ReadonlyMap<string, number>;
  /** Paths of nodes and triggers, and keys of edges. */
  selected: ReadonlySet<string>;
  select: (keys: ReadonlySet<string>) => void;
  perform: (label: string, command: Command, kind?: string) => void;
  undo: () => void;
  redo: () => void;
  removeSelected: () => void;
  upgrading: Upgrading;
  canEdit: boolean;
  /** The run whose data is shown. */
  sample: Sample;
  /** What it did, and does. */
  trial: Trial;
  /** A node or an edge in a sentence, for a screen reader: what it is, and where it leads. */
  describe: (path: string) => string;
}

export function useEditing(
  session: DraftSession,
  given: Pick<Editing, 'triggers' | 'definitions' | 'issues' | 'upgrading' | 'canEdit' | 'sample'> & {
    /** The blob that the issues are about. */
    checked: unknown;
  },
): Editing {
  const { triggers, definitions, issues, checked, canEdit } = given;
  const state = useSyncExternalStore(session.subscribe, session.state);
  const [chosen, select] = useState<ReadonlySet<string>>(new Set());
  const { graph } = state;
  const trial = useTrial(given.sample, graph);
  const { places, heights } = useMemo(() => {
    const handles = triggers.map(({ handle }) => handle);
    const measured = nodeHeights(graph, definitions);
    return { places: placesOf(graph, handles, measured), heights: measured };
  }, [graph, triggers, definitions]);
  const selected = useMemo(() => stillDrawn(chosen, graph, places), [chosen, graph, places]);
  const problems = useMemo(() => countByNode(issues), [issues]);
  const perform = (label: string, command: Command, kind?: string) => {
    if (canEdit) session.perform(label, command, kind);
  };
  return {
    ...given,
    trial,
    state,
    graph,
    places,
    heights,
    applyFix(issue) {
      if (!issue.fix) return;
      const mend = fix(checked, issue.fix);
      if (mend(graph) === graph) notify({ kind: 'failed', text: problemWords.isStale });
      else perform(problemWords.fixed(issue.node === null ? issue.path : idOf(issue.node)), mend);
    },
    problems,
    selected,
    select,
    perform,
    undo() {
      const kept = session.undo();
      select(selectedAfterUndo(selected, graph, session.state().graph));
      // What somebody else has changed since stays.
      if (kept > 0) notify({ kind: 'done', text: w.keptOthers(kept) });
    },
    redo: () => void session.redo(),
    removeSelected() {
      const nodes = [...selected].filter((key) => nodeAt(graph, key));
      const edges = edgesOf(graph).filter((edge) => selected.has(edgeKey(edge)));
      const notes = [...notesOf(graph).keys()].filter((id) => selected.has(noteKey(id)));
      for (const id of notes) perform(w.noteRemoved, note(id, undefined));
      if (nodes.length > 0) perform(w.removed(nodes.length), remove(nodes));
      else if (edges.length > 0) perform(w.disconnected, disconnect(edges));
      select(new Set());
    },
    describe(key) {
      const mark = trial.marks.get(key);
      return mark ? `${describe(graph, triggers, key)} ${mark.text}.` : describe(graph, triggers, key);
    },
  };
}

function countByNode(issues: readonly Issue[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { node } of issues) if (node !== null) counts.set(node, (counts.get(node) ?? 0) + 1);
  return counts;
}

function describe(graph: Graph, triggers: readonly Trigger[], path: string): string {
  const edge = edgesOf(graph).find((each) => edgeKey(each) === path);
  if (edge) return w.describedEdge(nameIn(triggers, edge.from), idOf(edge.to), edge.branch);
  const trigger = triggers.find(({ handle }) => `@${handle}` === path);
  const kind = trigger ? w.trigger(enumWord(trigger.type)) : (nodeAt(graph, path)?.node ?? '');
  const out = edgesOf(graph).filter((edge: Edge) => edge.from === path);
  const targets = out.map(({ branch, to }) => (branch === 'default' ? idOf(to) : `${branch}: ${idOf(to)}`));
  return w.described(nameIn(triggers, path), kind, targets);
}
