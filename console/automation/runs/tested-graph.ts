/** The nodes and edges that a run executes. */
export interface RunGraph {
  nodes: readonly { nodeId: string; path: string }[];
  edges: readonly {
    from: string | null;
    to: string;
    branch: string | null;
    triggerHandle: string | null;
    trigger: { name: string } | null;
  }[];
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listIn = (value: unknown, member: string): Json[] => {
  const list = isObject(value) ? value[member] : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
};

/** The graph of a blob, as the nodes and edges of a revision are read; loops come with what is in them. */
export function testedGraph(blob: unknown, triggers: readonly { handle: string; name: string }[]): RunGraph {
  const names = new Map(triggers.map(({ handle, name }) => [handle, name]));
  const read = (graph: unknown, prefix: string): RunGraph => {
    const nodes = listIn(graph, 'nodes').filter(({ id }) => typeof id === 'string');
    const own: RunGraph = {
      nodes: nodes.map(({ id }) => ({ nodeId: String(id), path: prefix + String(id) })),
      edges: listIn(graph, 'edges').map(({ from, to }) => {
        const { trigger, node, branch } = isObject(from) ? from : {};
        const handle = typeof trigger === 'string' ? trigger : null;
        const name = handle === null ? undefined : names.get(handle);
        return {
          from: typeof node === 'string' ? prefix + node : null,
          to: prefix + String(to),
          branch: typeof branch === 'string' ? branch : null,
          triggerHandle: handle,
          trigger: name === undefined ? null : { name },
        };
      }),
    };
    const bodies = nodes.map(({ id, config }) =>
      read(isObject(config) ? config['body'] : undefined, `${prefix}${String(id)}/`),
    );
    return {
      nodes: [own, ...bodies].flatMap((each) => each.nodes),
      edges: [own, ...bodies].flatMap((each) => each.edges),
    };
  };
  return read(blob, '');
}
