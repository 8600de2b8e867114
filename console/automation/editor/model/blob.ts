import {
  type Edge,
  edgeKey,
  edgesOf,
  type Graph,
  idOf,
  isObject,
  isTrigger,
  joinPath,
  type Json,
  loopNode,
  loopOf,
  nodeKey,
  nodesOf,
  type NodeUnit,
  noteKey,
  notesOf,
  placeAt,
  placeKey,
  triggerPath,
} from './graph.ts';

/** Reads a blob of a workflow or a draft. What is not as the schema of blobs says is left out, or kept as a member. */
export function readBlob(blob: unknown): Graph {
  const graph = new Map<string, unknown>();
  if (!isObject(blob)) return graph;
  const { nodes, edges, canvas, ...rest } = blob;
  readGraph({ nodes, edges }, '', graph);
  if (isObject(canvas)) readCanvas(canvas, graph);
  for (const [name, value] of Object.entries(rest)) {
    if (!isObject(value)) graph.set(`member:${name}`, value);
    else for (const [member, each] of Object.entries(value)) graph.set(`member:${name}.${member}`, each);
  }
  return graph;
}

function readGraph({ nodes, edges }: Json, loop: string, graph: Map<string, unknown>): void {
  for (const node of listOf(nodes)) {
    const { id, position, ...members } = node;
    if (!isId(id)) continue;
    const unit: Json = { ...members, ...readNames(members) };
    const path = joinPath(loop, id);
    const config = isObject(unit['config']) ? unit['config'] : {};
    const body = unit['node'] === loopNode && isObject(config['body']) ? config['body'] : undefined;
    if (body) {
      const { body: _, ...others } = config;
      graph.set(nodeKey(path), { ...unit, config: others });
      readGraph(body, path, graph);
    } else graph.set(nodeKey(path), { ...unit, config });
    if (isPoint(position)) graph.set(placeKey(path), position);
  }
  for (const edge of listOf(edges)) {
    const read = readEdge(edge, loop);
    if (read) graph.set(edgeKey(read), read);
  }
}

/** What a node is and in which version, as texts: a draft may hold anything there, which is shown to be wrong, and can be removed. */
const readNames = ({ node, version }: Json) => ({
  node: asText(node ?? ''),
  ...(version !== undefined && { version: asText(version) }),
});

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** An id is a part of a path. */
const isId = (id: unknown): id is string => typeof id === 'string' && /^[\w-]{1,64}$/.test(id);

/** In pixels; what is farther away is not drawn at all. */
const farthest = 1_000_000;

const isPoint = (value: unknown): boolean =>
  isObject(value) && [value['x'], value['y']].every((at) => typeof at === 'number' && Math.abs(at) <= farthest);

const isNote = (value: Json): boolean =>
  isPoint(value) &&
  typeof value['text'] === 'string' &&
  typeof value['width'] === 'number' &&
  typeof value['height'] === 'number';

/** An edge that names no branch leaves along `default`. */
function readEdge({ from, to }: Json, loop: string): Edge | undefined {
  if (!isObject(from) || typeof to !== 'string') return undefined;
  const target = joinPath(loop, to);
  if (typeof from['trigger'] === 'string') return { from: triggerPath(from['trigger']), branch: 'default', to: target };
  if (typeof from['node'] !== 'string') return undefined;
  const branch = typeof from['branch'] === 'string' ? from['branch'] : 'default';
  return { from: joinPath(loop, from['node']), branch, to: target };
}

function readCanvas({ notes, triggers }: Json, graph: Map<string, unknown>): void {
  for (const { id, ...note } of listOf(notes)) if (typeof id === 'string' && isNote(note)) graph.set(noteKey(id), note);
  for (const [handle, place] of Object.entries(isObject(triggers) ? triggers : {})) {
    if (isPoint(place)) graph.set(placeKey(triggerPath(handle)), place);
  }
}

/**
 * The blob of a graph. Edges whose ends are not there, and nodes whose loop is not, are left out: a merge of two edits may have left them
 * behind.
 */
export function writeBlob(graph: Graph): Json {
  const nodes = nodesOf(graph);
  const edges = edgesOf(graph);
  const blob: Record<string, unknown> = { ...writeLoop('', { graph, nodes, edges }) };
  const canvas = writeCanvas(graph, edges);
  if (canvas) blob['canvas'] = canvas;
  for (const [key, value] of graph) {
    if (!key.startsWith('member:')) continue;
    const [name = '', member] = key.slice('member:'.length).split(/\.(.*)/, 2);
    blob[name] = member === undefined ? value : { ...(blob[name] as Json | undefined), [member]: value };
  }
  return blob;
}

interface Parts {
  graph: Graph;
  nodes: ReadonlyMap<string, NodeUnit>;
  edges: readonly Edge[];
}

function writeLoop(loop: string, parts: Parts): Json {
  const { graph, nodes, edges } = parts;
  const own = [...nodes].filter(([path]) => loopOf(path) === loop);
  const isOwn = (path: string) => nodes.has(path) && loopOf(path) === loop;
  return {
    nodes: own.map(([path, unit]) => {
      const position = placeAt(graph, path);
      const config = unit.node === loopNode ? { ...unit.config, body: writeLoop(path, parts) } : unit.config;
      return { id: idOf(path), ...unit, config, ...(position && { position }) };
    }),
    edges: edges
      .filter(({ from, to }) => isOwn(to) && (isTrigger(from) ? loop === '' : isOwn(from)))
      .map(({ from, branch, to }) => ({
        from: isTrigger(from) ? { trigger: from.slice(1) } : { node: idOf(from), branch },
        to: idOf(to),
      })),
  };
}

/** Notes, and the places of triggers; nothing where there is neither. */
function writeCanvas(graph: Graph, edges: readonly Edge[]): Json | undefined {
  const notes = [...notesOf(graph)].map(([id, note]) => ({ id, ...note }));
  const triggers = new Set(edges.map(({ from }) => from).filter(isTrigger));
  const places = [...graph].flatMap(([key, place]) =>
    key.startsWith('place:@') ? [[key.slice('place:@'.length), place] as const] : [],
  );
  if (notes.length === 0 && places.length === 0 && triggers.size === 0) return undefined;
  return {
    ...(notes.length > 0 && { notes }),
    ...(places.length > 0 && { triggers: Object.fromEntries(places) }),
  };
}
