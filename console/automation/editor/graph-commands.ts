import { notify } from '#console/ui/notices.ts';
import { arrange } from './canvas/places.ts';
import { editorWords as w } from './editor.words.ts';
import { copy, paste, readPaste } from './model/clipboard.ts';
import { addNode, canConnect, connect, freeId, note, place, wrapInLoop } from './model/commands.ts';
import { edgesOf, isTrigger, joinPath, loopOf, nodeAt, type NodeUnit, noteKey, type Point } from './model/graph.ts';
import { type Definition, nodeWidth } from './node-shape.ts';
import type { Editing } from './use-editing.ts';

/** The commands that the toolbar, the palette and the keys give. */
export interface GraphCommands {
  /** Adds a node after the selected one, and connects it. */
  add: (definition: Definition) => void;
  duplicate: () => void;
  /** Adds a note below everything. */
  addNote: () => void;
  wrap: () => void;
  arrange: () => void;
  copy: () => Promise<void>;
  paste: (text: string) => void;
}

const gap = 48;

const pasteFaults = {
  'not-json': w.pasteNotJson,
  'other-tool': w.pasteOtherTool,
  'too-large': w.pasteTooLarge,
  empty: w.pasteEmpty,
};

export function graphCommands(editing: Editing): GraphCommands {
  const { graph, places, triggers, definitions, selected, perform, select } = editing;
  const chosen = [...selected].filter((key) => places.has(key));
  const steps = chosen.filter((path) => nodeAt(graph, path));
  const loop = loopOf(steps[0] ?? '');
  const credentialFields = ({ node }: NodeUnit) =>
    (definitions.get(node)?.fields ?? []).filter(({ type }) => type === 'CREDENTIALS_REF').map(({ key }) => key);
  const insert = (label: string, text: string, at: Point) => {
    const read = readPaste(text);
    if ('fault' in read) {
      notify({ kind: 'failed', text: pasteFaults[read.fault] });
      return;
    }
    const pasted = paste(graph, read.part, { loop, at });
    perform(label, () => pasted.graph);
    select(new Set(pasted.paths));
  };
  return {
    add(definition) {
      const after = chosen.at(-1);
      const id = freeId(graph, loop, definition.slug);
      const path = joinPath(loop, id);
      const unit = { node: definition.slug, version: `^${definition.version}`, config: {} };
      perform(w.added, (before) => {
        const added = addNode(path, unit, freePlace(editing, after, loop))(before);
        if (after === undefined) return added;
        const edge = { from: after, branch: 'default', to: path };
        return canConnect(added, edge) ? connect(edge)(added) : added;
      });
      select(new Set([path]));
    },
    duplicate() {
      const corner = places.get(steps[0] ?? '') ?? { x: 0, y: 0 };
      insert(
        w.duplicated,
        copy(graph, steps, () => []),
        { x: corner.x + 32, y: corner.y + 64 },
      );
    },
    addNote() {
      const at = lowest(places) + 96;
      let number = 1;
      while (graph.has(noteKey(`note-${number}`))) number += 1;
      perform(w.addNote, note(`note-${number}`, { text: '', x: 0, y: at, width: 240, height: 96 }));
    },
    wrap() {
      const path = joinPath(loop, freeId(graph, loop, 'core:each'));
      perform(w.wrapped, wrapInLoop(steps, path, { node: 'core:for-each', version: '^1.0.0', config: {} }));
      select(new Set([path]));
    },
    arrange: () =>
      perform(
        w.arranged,
        place(
          arrange(
            graph,
            triggers.map(({ handle }) => handle),
          ),
        ),
      ),
    async copy() {
      if (steps.length === 0) return;
      await navigator.clipboard.writeText(copy(graph, steps, credentialFields));
      notify({ kind: 'done', text: w.copied(steps.length) });
    },
    paste: (text) => insert(w.pasted, text, { x: 0, y: lowest(places) + 96 }),
  };
}

const lowest = (places: ReadonlyMap<string, Point>): number => Math.max(0, ...[...places.values()].map(({ y }) => y));

/** To the right of the node before it, below what already follows that. */
function freePlace({ graph, places }: Editing, after: string | undefined, loop: string): Point {
  const before = after === undefined ? undefined : places.get(after);
  if (!before || after === undefined) {
    const inLoop = [...places].filter(([path]) => !isTrigger(path) && loopOf(path) === loop).map(([, point]) => point);
    return { x: 16, y: Math.max(16, ...inLoop.map(({ y }) => y + 96)) };
  }
  const followers = edgesOf(graph).flatMap(({ from, to }) => (from === after ? (places.get(to) ?? []) : []));
  return { x: before.x + nodeWidth + gap, y: Math.max(before.y, ...followers.map(({ y }) => y + 96)) };
}
