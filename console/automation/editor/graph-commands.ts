import { notify } from '#console/ui/notices.ts';
import { addAfter, addAt, addInto, type Added } from './canvas/add-node.ts';
import { gap, lowest, placeBelow } from './canvas/free-space.ts';
import { arrange } from './canvas/places.ts';
import { wrapNodes } from './canvas/wrap.ts';
import { editorWords as w } from './editor.words.ts';
import { inOutWords } from './in-out/in-out.words.ts';
import { insertPart, refusePaste, replaceGraph } from './in-out/insert.ts';
import { privateFields, writtenSecrets } from './in-out/private-fields.ts';
import { copy } from './model/clipboard.ts';
import { freeId, note, place } from './model/commands.ts';
import {
  type Edge,
  edgeKey,
  edgesOf,
  isEmptyLoop,
  isWithin,
  joinPath,
  loopOf,
  nodeAt,
  nodesOf,
  noteKey,
  type Point,
} from './model/graph.ts';
import { readPaste } from './model/read-paste.ts';
import type { Definition } from './node-shape.ts';
import type { Editing } from './use-editing.ts';

/** The commands that the toolbar, the palette and the keys give. */
export interface GraphCommands {
  /** Adds a node: into the selected edge or empty loop, else after the selected node along a branch that leads nowhere yet, and connects it. Returns its path. */
  add: (definition: Definition) => string;
  /** Adds a node where it was dropped: into an edge, or at a point, which is within the loop if there is one. */
  drop: (definition: Definition, at: { edge: Edge } | { loop: string; point: Point }) => void;
  duplicate: () => void;
  /** Adds a note below everything. */
  addNote: () => void;
  wrap: () => void;
  arrange: () => void;
  /** Selects everything that is drawn. */
  selectAll: () => void;
  copy: () => Promise<void>;
  paste: (text: string) => void;
}

export function graphCommands(editing: Editing): GraphCommands {
  const { graph, places, heights, triggers, definitions, selected, perform, select } = editing;
  const chosen = [...selected].filter((key) => places.has(key));
  const steps = chosen.filter((path) => nodeAt(graph, path));
  const loop = loopOf(steps[0] ?? '');
  const chosenEdge = edgesOf(graph).find((edge) => selected.has(edgeKey(edge)));
  const insert = (label: string, text: string, at: Point, source: string) => {
    const found = readPaste(text);
    if ('fault' in found) refusePaste(found.fault, source);
    else if (found.whole && nodesOf(graph).size === 0) replaceGraph(editing, found.whole, source);
    else insertPart(editing, found.part, { label, source, loop, at });
  };
  const put = ({ path, command }: Added) => {
    perform(w.added, command);
    select(new Set([path]));
    return path;
  };
  return {
    add(definition) {
      const last = chosen.at(-1);
      if (chosenEdge) return put(addInto(editing, definition, chosenEdge));
      if (last !== undefined && isEmptyLoop(graph, last))
        return put(addAt(editing, definition, { loop: last, point: { x: 0, y: 0 } }));
      return put(addAfter(editing, definition, { loop, after: last }));
    },
    drop: (definition, at) =>
      void put('edge' in at ? addInto(editing, definition, at.edge) : addAt(editing, definition, at)),
    duplicate() {
      const at = placeBelow(editing, loop, steps);
      if (!at) return;
      const text = copy(graph, steps, () => []);
      insert(w.duplicated, text, at, inOutWords.thisGraph);
    },
    addNote() {
      const at = lowest(editing, '') + gap.y;
      let number = 1;
      while (graph.has(noteKey(`note-${number}`))) number += 1;
      perform(w.addNote, note(`note-${number}`, { text: '', x: 0, y: at, width: 240, height: 96 }));
    },
    wrap() {
      const path = joinPath(loop, freeId(graph, loop, 'core:each'));
      perform(w.wrapped, wrapNodes(editing, steps, path));
      select(new Set([path]));
    },
    arrange: () =>
      perform(
        w.arranged,
        place(
          arrange(
            graph,
            triggers.map(({ handle }) => handle),
            heights,
          ),
        ),
      ),
    selectAll: () => select(new Set(places.keys())),
    async copy() {
      if (steps.length === 0) return;
      await navigator.clipboard.writeText(copy(graph, steps, privateFields(definitions)));
      const taken = [...nodesOf(graph)].filter(([path]) => steps.some((step) => path === step || isWithin(path, step)));
      const secrets = writtenSecrets(taken, definitions);
      notify({ kind: 'done', text: [w.copied(steps.length), inOutWords.withoutSecrets(secrets)].join(' ').trim() });
    },
    paste: (text) => insert(w.pasted, text, { x: 0, y: lowest(editing, loop) + gap.y }, inOutWords.clipboard),
  };
}
