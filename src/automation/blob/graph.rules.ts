import type { WorkflowGraph, WorkflowNode } from './blob.inputs.ts';

/** How a step ended; a node that a `fail` stopped is 'failed' too, and `on_error` decides where its run continues. */
export interface StepOutcome {
  status: 'succeeded' | 'failed' | 'skipped';
  /** Used for succeeded steps only; 'default' when absent. */
  branch?: string | null;
}

/** Whether a failure of a node fails the run, whatever its own `on_error` or that of a loop around it says. */
export const alwaysFailsRun = ({ node }: Pick<WorkflowNode, 'node'>): boolean => node === 'core:fail';

/** Where a run begins for one trigger, and how many edges each node then waits for. */
interface Start {
  roots: readonly number[];
  /** Undecided incoming edges by node; edges from nodes that this trigger cannot reach are not counted. */
  waiting: Uint16Array;
  /** 1 for each node that the trigger can reach; the others take no part in the run. */
  reached: Uint8Array;
  total: number;
}

/** A graph, compiled once per bundle; runs only read it. Nodes are numbered in the blob's order. */
export interface GraphPlan {
  nodes: readonly WorkflowNode[];
  indexById: ReadonlyMap<string, number>;
  /** Outgoing edges by node. */
  successors: readonly (readonly { to: number; branch: string }[])[];
  /** Ids of the nodes with an edge to this one, without duplicates, in the blob's order. */
  predecessors: readonly (readonly string[])[];
  /** Ids of the nodes without successors: their outputs are the run's result when no node responded. */
  leaves: readonly string[];
  /** By trigger handle. */
  starts: ReadonlyMap<string, Start>;
  defaultStart: Start;
}

const reachFrom = (roots: readonly number[], successors: GraphPlan['successors']): Start => {
  const reached = new Uint8Array(successors.length);
  const waiting = new Uint16Array(successors.length);
  const stack = [...new Set(roots)];
  for (const root of stack) reached[root] = 1;
  let total = stack.length;
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    for (const { to } of successors[node] ?? []) {
      waiting[to] = (waiting[to] ?? 0) + 1;
      if (reached[to]) continue;
      reached[to] = 1;
      total += 1;
      stack.push(to);
    }
  }
  return { roots: [...new Set(roots)], waiting, reached, total };
};

/**
 * Compiles a checked graph (unique ids, edges between known nodes, no cycle; see blob.rules.ts). Also takes the body of a
 * `core:for-each`, whose roots are its nodes without incoming edges.
 * Throws on an edge to or from a node that does not exist.
 */
export function compileGraph(graph: WorkflowGraph): GraphPlan {
  const indexById = new Map(graph.nodes.map((node, index) => [node.id, index]));
  const requireIndex = (id: string): number => {
    const index = indexById.get(id);
    if (index === undefined) throw new Error(`An edge names the node "${id}", which the graph does not have.`);
    return index;
  };
  const successors = graph.nodes.map((): { to: number; branch: string }[] => []);
  const predecessors = graph.nodes.map(() => new Set<number>());
  const rootsByTrigger = new Map<string, number[]>();
  for (const { from, to } of graph.edges) {
    const target = requireIndex(to);
    if ('trigger' in from) {
      rootsByTrigger.set(from.trigger, [...(rootsByTrigger.get(from.trigger) ?? []), target]);
      continue;
    }
    const source = requireIndex(from.node);
    successors[source]?.push({ to: target, branch: from.branch });
    predecessors[target]?.add(source);
  }
  const sources = [...graph.nodes.keys()].filter((node) => predecessors[node]?.size === 0);
  return {
    nodes: graph.nodes,
    indexById,
    successors,
    predecessors: predecessors.map((set) =>
      [...set].toSorted((a, b) => a - b).flatMap((node) => graph.nodes[node]?.id ?? []),
    ),
    leaves: graph.nodes.filter((_, node) => successors[node]?.length === 0).map(({ id }) => id),
    starts: new Map([...rootsByTrigger].map(([handle, roots]) => [handle, reachFrom(roots, successors)])),
    defaultStart: reachFrom(sources, successors),
  };
}

/** Where `trigger` starts: at the nodes that its edges name, else at every node without an incoming edge from a node. */
export function findStart(plan: GraphPlan, trigger?: string | null): Start {
  return (trigger == null ? undefined : plan.starts.get(trigger)) ?? plan.defaultStart;
}
