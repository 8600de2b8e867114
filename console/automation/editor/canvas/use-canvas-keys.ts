import { type KeyboardEvent, type RefObject, useRef } from 'react';
import type { Edge } from '#console/automation/editor/model/graph.ts';
import type { Editing } from '#console/automation/editor/use-editing.ts';
import { moveSelected } from './move-selected.ts';
import { type Direction, neighbour } from './neighbours.ts';

interface Given {
  editing: Editing;
  box: RefObject<HTMLElement | null>;
  /** The node or trigger that was selected last. */
  active: string | undefined;
  /** The edge that is selected. */
  edge: Edge | undefined;
  /** Selects a node besides others, and brings it into view. */
  goTo: (path: string, besides: Iterable<string>) => void;
  open: (path: string) => void;
  remove: (() => void) | undefined;
}

/** The keys of the canvas itself: they go along the graph, and select, move, open and remove what is in it. */
export function useCanvasKeys({ editing, box, active, edge, goTo, open, remove }: Given) {
  const { graph, places, selected, select } = editing;
  /** What stays selected while arrows go on. */
  const kept = useRef<ReadonlySet<string>>(new Set());
  const next = (direction: Direction): string | undefined => {
    if (active !== undefined) return neighbour(graph, places, active, direction);
    if (edge) return edge[direction === 'ArrowLeft' || direction === 'ArrowUp' ? 'from' : 'to'];
    return [...places.keys()][0];
  };
  const keep = (path: string) => {
    const others = new Set(kept.current);
    if (!others.delete(path)) others.add(path);
    kept.current = others;
    const nodes = [...selected].filter((key) => places.has(key) && key !== path);
    select(new Set([...nodes, path]));
  };
  return (event: KeyboardEvent) => {
    if (event.target !== box.current || event.altKey) return;
    if (event.key.startsWith('Arrow')) {
      event.preventDefault();
      const direction = event.key as Direction;
      if (event.ctrlKey || event.metaKey) return moveSelected(editing, direction, { isFar: event.shiftKey });
      const path = next(direction);
      const besides = event.shiftKey ? selected : kept.current;
      if (path !== undefined)
        goTo(
          path,
          [...besides].filter((key) => selected.has(key) && places.has(key)),
        );
    } else if (event.key === ' ' && event.shiftKey && active !== undefined) {
      event.preventDefault();
      keep(active);
    } else if (event.key === 'Enter' && active !== undefined) {
      event.preventDefault();
      open(active);
    } else if (event.key === 'Delete' || event.key === 'Backspace') remove?.();
  };
}
