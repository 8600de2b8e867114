import { readBlob, writeBlob } from './blob.ts';
import { type Graph, isObject, type Json, nodeAt, pinKey, pinsOf } from './graph.ts';

/** A draft as the server stores it: what would be published, and what stands for executions in test runs. */
export interface DraftParts {
  blob: unknown;
  /** By the path of their node. */
  pins: unknown;
}

/** The graph of a draft. The server keeps the pins of a node that was removed; here they are left out. */
export function readDraft({ blob, pins }: DraftParts): Graph {
  const graph = new Map(readBlob(blob));
  if (!isObject(pins)) return graph;
  for (const [path, outputs] of Object.entries(pins)) if (nodeAt(graph, path)) graph.set(pinKey(path), outputs);
  return graph;
}

export const writeDraft = (graph: Graph): { blob: Json; pins: Json } => ({
  blob: writeBlob(graph),
  pins: Object.fromEntries(pinsOf(graph)),
});
