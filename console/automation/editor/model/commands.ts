import { apply, type Change, difference } from './changes.ts';
import {
  type Edge,
  edgeKey,
  edgesOf,
  type Graph,
  idOf,
  isTrigger,
  isWithin,
  joinPath,
  type Json,
  loopNode,
  loopOf,
  nodeAt,
  nodeKey,
  nodesOf,
  type NodeUnit,
  type Note,
  noteKey,
  pinKey,
  placeKey,
  type Point,
} from './graph.ts';
import { idsRead, nodeRead, renameInExpressions } from './references.ts';

/** A function that returns a changed graph, or the graph itself where the command does not apply. */
export type Command = (graph: Graph) => Graph;

const set = (graph: Graph, values: readonly (readonly [key: string, value: unknown])[]): Graph =>
  apply(
    graph,
    values.map(([key, to]): Change => ({ key, from: graph.get(key), to })),
  );

/** An id that no node of the loop has: `http-request`, then `http-request-2`. */
export function freeId(graph: Graph, loop: string, slug: string): string {
  const name = slug.slice(slug.indexOf(':') + 1).slice(0, 56);
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? name : `${name}-${number}`;
    if (!graph.has(nodeKey(joinPath(loop, id)))) return id;
  }
}

export const addNode =
  (path: string, unit: NodeUnit, place: Point): Command =>
  (graph) =>
    set(graph, [
      [nodeKey(path), unit],
      [placeKey(path), place],
    ]);

/** Removes nodes with what is in their loops, and triggers and notes from the drawing; and the edges of all of them. */
export const remove =
  (paths: readonly string[]): Command =>
  (graph) => {
    const isGone = (path: string) => paths.some((gone) => path === gone || isWithin(path, gone));
    const nodes = [...nodesOf(graph).keys()].filter(isGone);
    const edges = edgesOf(graph).filter(({ from, to }) => isGone(from) || isGone(to));
    const keys = [...nodes.flatMap((path) => [nodeKey(path), placeKey(path), pinKey(path)]), ...edges.map(edgeKey)];
    return set(
      graph,
      keys.map((key) => [key, undefined]),
    );
  };

/** Whether an edge may be drawn: within one loop, to a node, and without a circle. */
export function canConnect(graph: Graph, { from, to }: Pick<Edge, 'from' | 'to'>): boolean {
  if (isTrigger(to) || from === to || !nodeAt(graph, to)) return false;
  if (isTrigger(from)) return loopOf(to) === '';
  return nodeAt(graph, from) !== undefined && loopOf(from) === loopOf(to) && !leadsTo(graph, to, from);
}

/** Whether edges lead from one node to another. */
export function leadsTo(graph: Graph, from: string, to: string): boolean {
  const next = Map.groupBy(edgesOf(graph), (edge) => edge.from);
  const seen = new Set<string>();
  const open = [from];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (path === to) return true;
    if (seen.has(path)) continue;
    seen.add(path);
    open.push(...(next.get(path) ?? []).map((edge) => edge.to));
  }
  return false;
}

export const connect =
  (edge: Edge): Command =>
  (graph) =>
    canConnect(graph, edge) ? set(graph, [[edgeKey(edge), edge]]) : graph;

export const disconnect =
  (edges: readonly Edge[]): Command =>
  (graph) =>
    set(
      graph,
      edges.map((edge) => [edgeKey(edge), undefined]),
    );

/** Puts a new node between the ends of an edge; it goes on along the first of its branches. */
export const insertOnEdge =
  (edge: Edge, path: string, unit: NodeUnit, place: Point, branch = 'default'): Command =>
  (graph) =>
    [
      disconnect([edge]),
      addNode(path, unit, place),
      connect({ ...edge, to: path }),
      connect({ from: path, branch, to: edge.to }),
    ].reduce((next, command) => command(next), graph);

export const place =
  (places: ReadonlyMap<string, Point>): Command =>
  (graph) =>
    set(
      graph,
      [...places]
        .filter(([path]) => isTrigger(path) || nodeAt(graph, path))
        .map(([path, point]) => [placeKey(path), point]),
    );

/** Changes members of a node, such as its config; a member that is undefined is removed. */
export const edit =
  (path: string, members: Json): Command =>
  (graph) => {
    const unit = nodeAt(graph, path);
    if (!unit) return graph;
    const next = Object.entries({ ...unit, ...members }).filter(([, value]) => value !== undefined);
    return set(graph, [[nodeKey(path), Object.fromEntries(next)]]);
  };

/** Sets one member of a config; undefined removes it. */
export const configure =
  (path: string, member: string, value: unknown): Command =>
  (graph) => {
    const unit = nodeAt(graph, path);
    if (!unit) return graph;
    const { [member]: _, ...others } = unit.config;
    return edit(path, { config: value === undefined ? others : { ...unit.config, [member]: value } })(graph);
  };

/** Gives a node another id, in its edges, in the paths within its loop, and in the expressions that read it. */
export const rename =
  (path: string, id: string): Command =>
  (graph) =>
    nodeAt(graph, path) && canRename(graph, path, id)
      ? move(graph, new Map([[path, joinPath(loopOf(path), id)]]))
      : graph;

/** Whether an id is free for a node, and every expression would still read the node that it reads now. */
export function canRename(graph: Graph, path: string, id: string): boolean {
  const loop = loopOf(path);
  if (graph.has(nodeKey(joinPath(loop, id)))) return false;
  return [...nodesOf(graph)].every(([reader, unit]) => {
    if (loop !== '' && !isWithin(reader, loop)) return true;
    const other = nodeRead(graph, reader, id);
    if (other === undefined) return true;
    const isInner = isWithin(other, loop) || loop === '';
    const ids = idsRead(unit);
    // A node of an inner loop would come before the renamed one, which comes before those of outer loops.
    return isInner ? !(ids.has(idOf(path)) && nodeRead(graph, reader, idOf(path)) === path) : !ids.has(id);
  });
}

/** Moves nodes, with what is in their loops, to other paths. Edges to nodes that do not come along are removed where they would cross a loop. */
export function move(graph: Graph, paths: ReadonlyMap<string, string>): Graph {
  const moved = (path: string): string => {
    for (const [from, to] of paths) {
      if (path === from) return to;
      if (isWithin(path, from)) return to + path.slice(from.length);
    }
    return path;
  };
  const renamed = (reader: string) => (id: string) => {
    const to = paths.get(nodeRead(graph, reader, id) ?? '');
    return to === undefined || idOf(to) === id ? undefined : idOf(to);
  };
  const next = new Map<string, unknown>();
  for (const [key, value] of graph) {
    if (key.startsWith('node:')) {
      const path = key.slice(5);
      next.set(nodeKey(moved(path)), renameInExpressions(value as NodeUnit, renamed(path)));
    } else if (key.startsWith('place:')) next.set(placeKey(moved(key.slice(6))), value);
    else if (key.startsWith('pin:')) next.set(pinKey(moved(key.slice(4))), value);
    else if (key.startsWith('edge:')) {
      const { from, branch, to } = value as Edge;
      const edge = { from: moved(from), branch, to: moved(to) };
      if (isTrigger(edge.from) ? loopOf(edge.to) === '' : loopOf(edge.from) === loopOf(edge.to))
        next.set(edgeKey(edge), edge);
    } else next.set(key, value);
  }
  return next;
}

/** Puts nodes of one loop into a new loop. Edges from and to the others go on at the loop. `places` are those of all of them, by their new paths. */
export const wrapInLoop =
  (paths: readonly string[], loop: string, unit: NodeUnit, places: ReadonlyMap<string, Point>): Command =>
  (graph) => {
    const own = paths.filter((path) => nodeAt(graph, path) && loopOf(path) === loopOf(loop));
    if (own.length === 0 || graph.has(nodeKey(loop))) return graph;
    const isOwn = new Set(own);
    const edges = edgesOf(graph);
    const into = edges.filter(({ from, to }) => isOwn.has(to) && !isOwn.has(from));
    const out = edges.filter(({ from, to }) => isOwn.has(from) && !isOwn.has(to));
    const moved = move(graph, new Map(own.map((path) => [path, joinPath(loop, idOf(path))])));
    const wrapped = set(moved, [[nodeKey(loop), { ...unit, node: loopNode }]]);
    const ends = [
      ...into.map(({ from, branch }): Edge => ({ from, branch, to: loop })),
      ...out.map(({ to }): Edge => ({ from: loop, branch: 'default', to })),
    ];
    return ends.reduce((next, edge) => connect(edge)(next), place(places)(wrapped));
  };

/** Changes members of a note, or makes it of all of them; undefined removes it. */
export const note =
  (id: string, members: Partial<Note> | undefined): Command =>
  (graph) => {
    const before = graph.get(noteKey(id)) as Note | undefined;
    return set(graph, [[noteKey(id), members && { ...before, ...members }]]);
  };

/** Gives a node outputs that stand for its execution in test runs; undefined removes them. */
export const pin =
  (path: string, outputs: Json | undefined): Command =>
  (graph) =>
    nodeAt(graph, path) ? set(graph, [[pinKey(path), outputs]]) : graph;

/** The changes of a command; none where it does not apply. */
export const changesOf = (graph: Graph, command: Command): Change[] => difference(graph, command(graph));
