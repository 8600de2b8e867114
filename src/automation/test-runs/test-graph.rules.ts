import type { WorkflowGraph } from '#src/automation/blob/blob.inputs.ts';
import { compileGraph, findStart, type StepOutcome } from '#src/automation/blob/graph.rules.ts';
import { resumeProgress } from '#src/automation/blob/progress.rules.ts';
import { ValidationError } from '#src/infra/errors.ts';

/** The part of a graph that a test run goes through. */
export interface TestGraph {
  graph: WorkflowGraph;
  /** Ids of the nodes that are executed unless they are pinned or reused; the others only lead to these. */
  executed: ReadonlySet<string>;
}

export interface Section {
  /** The first node that is executed. */
  from: string | null;
  /** The last one. */
  to: string | null;
}

/** Leaves out the nodes that neither are in the section nor lead to it. Throws a ValidationError for nodes that make no section. */
export function cutGraph(graph: WorkflowGraph, { from, to }: Section): TestGraph {
  const ids = new Set(graph.nodes.map(({ id }) => id));
  for (const [name, id] of Object.entries({ from, to }))
    if (id !== null && !ids.has(id))
      throw new ValidationError({ [name]: [`The workflow has no node ${id}; a node in a loop cannot be named.`] });
  const after = new Map<string, string[]>();
  const before = new Map<string, string[]>();
  for (const edge of graph.edges) {
    if (!('node' in edge.from)) continue;
    after.set(edge.from.node, [...(after.get(edge.from.node) ?? []), edge.to]);
    before.set(edge.to, [...(before.get(edge.to) ?? []), edge.from.node]);
  }
  const following = from === null ? ids : reach([from], after);
  const leading = to === null ? ids : reach([to], before);
  const executed = new Set([...following].filter((id) => leading.has(id)));
  if (executed.size === 0 && from !== null) throw new ValidationError({ to: [`No edge leads from ${from} to ${to}.`] });
  const kept = reach([...executed], before);
  return {
    executed,
    graph: {
      nodes: graph.nodes.filter(({ id }) => kept.has(id)),
      edges: graph.edges.filter(({ from: source, to: target }) =>
        'node' in source ? kept.has(source.node) && kept.has(target) : kept.has(target),
      ),
    },
  };
}

function reach(from: readonly string[], next: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set(from);
  for (const id of reached) for (const other of next.get(id) ?? []) reached.add(other);
  return reached;
}

/**
 * Throws a ValidationError if a run that begins at the trigger cannot begin the section: the trigger does not lead there, or a node before
 * `from` has no outputs. `outcomes` are those of the nodes that have outputs.
 */
export function assertStartable(
  whole: WorkflowGraph,
  { graph, executed }: TestGraph,
  { from, to }: Section,
  trigger: string | null,
  outcomes: ReadonlyMap<string, StepOutcome>,
): void {
  const plan = compileGraph(whole);
  const { reached } = findStart(plan, trigger);
  for (const [name, id] of Object.entries({ from, to }))
    if (id !== null && !reached[plan.indexById.get(id) as number])
      throw new ValidationError({ [name]: [`The trigger does not lead to ${id}; name another with triggerHandle.`] });
  if (from === null) return;
  const known = new Map([...outcomes].filter(([id]) => !executed.has(id)));
  const { ready } = resumeProgress(compileGraph(graph), trigger, known);
  const missing = ready.filter((id) => !executed.has(id));
  if (missing.length > 0)
    throw new ValidationError({
      from: [
        `These nodes come before ${from} and have no outputs, neither pinned nor reused: ${missing.join(', ')}. A run’s outputs are reused only where neither the node nor one before it has changed.`,
      ],
    });
  if (!ready.includes(from))
    throw new ValidationError({ from: [`No branch that the nodes before ${from} take leads to it.`] });
}
