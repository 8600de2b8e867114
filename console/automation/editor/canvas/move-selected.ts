import { editorWords as w } from '#console/automation/editor/editor.words.ts';
import { note, place } from '#console/automation/editor/model/commands.ts';
import { isTrigger, isWithin, loopOf, noteKey, notesOf, type Point } from '#console/automation/editor/model/graph.ts';
import type { Editing } from '#console/automation/editor/use-editing.ts';
import { fixed, inLoop } from './add-node.ts';
import type { Direction } from './neighbours.ts';

/** Pixels of one press: the dots of the background are as far apart. */
const step = 16;
const farSteps = 5;

const ways: Readonly<Record<Direction, Point>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};

/** Moves what is selected by keyboard. Presses that follow one another are undone together. */
export function moveSelected(editing: Editing, direction: Direction, { isFar }: { isFar: boolean }): void {
  const { graph, places, selected, perform } = editing;
  const length = isFar ? farSteps * step : step;
  const move = ({ x, y }: Point): Point => ({ x: x + ways[direction].x * length, y: y + ways[direction].y * length });
  const paths = [...selected].filter((path) => places.has(path));
  // The nodes inside a loop move together with the loop.
  const own = paths.filter((path) => !paths.some((loop) => isWithin(path, loop)));
  const moved = new Map(
    own.map((path): [string, Point] => {
      const to = move(places.get(path) ?? { x: 0, y: 0 });
      return [path, isTrigger(path) ? to : inLoop(to, loopOf(path))];
    }),
  );
  const notes = [...notesOf(graph)].filter(([id]) => selected.has(noteKey(id)));
  if (moved.size + notes.length === 0) return;
  const kind = `move ${[...selected].join(' ')}`;
  const label = w.moved(moved.size + notes.length);
  perform(
    label,
    (before) =>
      notes.reduce(
        (next, [id, at]) => note(id, move(at))(next),
        moved.size === 0 ? before : place(moved)(place(fixed(editing))(before)),
      ),
    kind,
  );
}
