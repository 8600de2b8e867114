import { ExactNumber } from '#console/graph/exact-numbers.ts';

/** An object of a blob, as JSON. */
export type Json = Readonly<Record<string, unknown>>;

export interface Point {
  x: number;
  y: number;
}

/**
 * The graph that is edited: everything that can change by itself, by its key. So a change is a key with two values, and undo, merge and
 * comparison need to know nothing of workflows.
 *
 * | Key | Value |
 * |---|---|
 * | `node:each/send` | `NodeUnit`; the ids of the loops around it, and its own, are its path |
 * | `place:each/send`, `place:@shop` | `Point` where it is drawn; `@shop` is the trigger with that handle |
 * | `edge:each/get.default>each/send` | `Edge` |
 * | `note:n1` | `Note` |
 * | `pin:each/send` | outputs that stand for an execution of the node in test runs; in the draft, and in no blob |
 * | `member:settings.timeout_ms` | a member of the blob that no other key has |
 */
export type Graph = ReadonlyMap<string, unknown>;

/** A node without its id, its place, and the graph of its loop. */
export interface NodeUnit extends Json {
  node: string;
  version: string;
  config: Json;
}

/** Between paths; `from` is `@<handle>` for a trigger. */
export interface Edge {
  from: string;
  branch: string;
  to: string;
}

export interface Note extends Point {
  text: string;
  width: number;
  height: number;
}

export const loopNode = 'core:for-each';
export const filterNode = 'core:filter';
/** It fails the run, whatever is said about its failures. */
export const failNode = 'core:fail';

export const nodeKey = (path: string): string => `node:${path}`;
export const placeKey = (path: string): string => `place:${path}`;
export const noteKey = (id: string): string => `note:${id}`;
export const pinKey = (path: string): string => `pin:${path}`;
export const edgeKey = ({ from, branch, to }: Edge): string => `edge:${from}.${branch}>${to}`;
export const triggerPath = (handle: string): string => `@${handle}`;
export const isTrigger = (path: string): boolean => path.startsWith('@');

/** The path of the loop around a node; empty outside of loops. */
export const loopOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
export const idOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
export const joinPath = (loop: string, id: string): string => (loop === '' ? id : `${loop}/${id}`);
/** Whether a node is in a loop, at any depth. */
export const isWithin = (path: string, loop: string): boolean => path.startsWith(`${loop}/`);

/** Whether a node is a loop with nothing in it. */
export const isEmptyLoop = (graph: Graph, path: string): boolean =>
  nodeAt(graph, path)?.node === loopNode && ![...graph.keys()].some((key) => key.startsWith(`node:${path}/`));

function* entries<Value = unknown>(graph: Graph, kind: string): Generator<[string, Value]> {
  for (const [key, value] of graph) if (key.startsWith(kind)) yield [key.slice(kind.length), value as Value];
}

/** The nodes by path. */
export const nodesOf = (graph: Graph): Map<string, NodeUnit> => new Map(entries<NodeUnit>(graph, 'node:'));
export const edgesOf = (graph: Graph): Edge[] => [...entries<Edge>(graph, 'edge:')].map(([, edge]) => edge);
/** The notes by id. */
export const notesOf = (graph: Graph): Map<string, Note> => new Map(entries<Note>(graph, 'note:'));
/** The pinned outputs by the path of their node. */
export const pinsOf = (graph: Graph): Map<string, unknown> => new Map(entries(graph, 'pin:'));
export const nodeAt = (graph: Graph, path: string): NodeUnit | undefined =>
  graph.get(nodeKey(path)) as NodeUnit | undefined;
export const placeAt = (graph: Graph, path: string): Point | undefined =>
  graph.get(placeKey(path)) as Point | undefined;

/** A number that a double would round is no object of JSON, though it is one here. */
export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
