import type { Command } from './commands.ts';
import { type Graph, nodeAt, pinKey, pinsOf } from './graph.ts';

/** Puts another graph in the place of the present one. Pinned outputs, which no blob has, stay with the nodes that are in both. */
export const replaceBy =
  (next: Graph): Command =>
  (graph) =>
    new Map([
      ...next,
      ...[...pinsOf(graph)].flatMap(([path, outputs]) =>
        nodeAt(next, path) ? [[pinKey(path), outputs] as const] : [],
      ),
    ]);
