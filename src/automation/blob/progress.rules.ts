import { alwaysFailsRun, findStart } from './graph.rules.ts';
import type { GraphPlan, StepOutcome } from './graph.rules.ts';

const ready = 1;
const decided = 2;

/** The progress of one run through its graph: a few bytes per node, owned by the worker that drives the run. */
export interface Progress {
  /** Undecided incoming edges, by node. */
  waiting: Uint16Array;
  /** 1 when an incoming edge is live, or the trigger starts the node. */
  live: Uint8Array;
  /** 0 at first, then ready, then decided. */
  state: Uint8Array;
  /** Number of nodes within the trigger's reach that are not decided. */
  remaining: number;
  /** The first node whose failure fails the run. */
  failedNode: string | null;
}

/** The nodes that one decision affects, by id; `skipped` is in the order of the graph. */
export interface Step {
  ready: string[];
  skipped: string[];
}

const findNodeId = (plan: GraphPlan, node: number): string => {
  const found = plan.nodes[node];
  if (found === undefined) throw new Error(`The graph has no node number ${node}.`);
  return found.id;
};

/** The branch on which a run continues after this outcome; null when on none. */
function branchAfter(plan: GraphPlan, node: number, outcome: StepOutcome): string | null {
  if (outcome.status === 'succeeded') return outcome.branch ?? 'default';
  if (outcome.status === 'skipped') return null;
  const failed = plan.nodes[node];
  const onError = !failed || alwaysFailsRun(failed) ? 'fail' : failed.on_error;
  return { fail: null, continue: 'default', branch: 'error' }[onError];
}

/** Decides `node` and every node that is skipped as a result. Iterative, since a chain of skips may be long. */
function decide(plan: GraphPlan, progress: Progress, first: number, branchTaken: string | null, step: Step): void {
  progress.state[first] = decided;
  progress.remaining -= 1;
  const queue: { node: number; branch: string | null }[] = [{ node: first, branch: branchTaken }];
  for (const { node, branch } of queue) {
    for (const edge of plan.successors[node] ?? []) {
      const waiting = (progress.waiting[edge.to] ?? 0) - 1;
      progress.waiting[edge.to] = waiting;
      if (edge.branch === branch) progress.live[edge.to] = 1;
      if (waiting > 0) continue;
      if (progress.live[edge.to]) {
        progress.state[edge.to] = ready;
        step.ready.push(findNodeId(plan, edge.to));
        continue;
      }
      progress.state[edge.to] = decided;
      progress.remaining -= 1;
      step.skipped.push(findNodeId(plan, edge.to));
      queue.push({ node: edge.to, branch: null });
    }
  }
}

/** Starts a run. `trigger` is the handle that fired; the body of a loop has none. */
export function startProgress(plan: GraphPlan, trigger?: string | null): { progress: Progress; ready: string[] } {
  const start = findStart(plan, trigger);
  const progress: Progress = {
    waiting: start.waiting.slice(),
    live: new Uint8Array(plan.nodes.length),
    state: new Uint8Array(plan.nodes.length),
    remaining: start.total,
    failedNode: null,
  };
  const first: string[] = [];
  for (const root of start.roots) {
    progress.live[root] = 1;
    // A node may be named by the trigger and also follow another node.
    if (progress.waiting[root]) continue;
    progress.state[root] = ready;
    first.push(findNodeId(plan, root));
  }
  return { progress, ready: first };
}

/**
 * Records the outcome of a ready node in place and returns the nodes that it affects.
 * Throws when the node is not ready: an outcome counts once, and never before the node's turn.
 */
export function settle(plan: GraphPlan, progress: Progress, id: string, outcome: StepOutcome): Step {
  const node = plan.indexById.get(id);
  if (node === undefined || progress.state[node] !== ready) {
    throw new Error(`The step "${id}" cannot be settled: it is not ready, or has been settled before.`);
  }
  const branch = branchAfter(plan, node, outcome);
  if (outcome.status === 'failed' && branch === null) progress.failedNode ??= id;
  const step: Step = { ready: [], skipped: [] };
  decide(plan, progress, node, branch, step);
  return step;
}

/**
 * Rebuilds a run's progress from its recorded outcomes, in any order; `ready` are the nodes that can run and have no outcome.
 * Ignores outcomes of nodes that are not ready yet, and recorded skips, since they follow from the others.
 */
export function resumeProgress(
  plan: GraphPlan,
  trigger: string | null | undefined,
  outcomes: ReadonlyMap<string, StepOutcome>,
): { progress: Progress; ready: string[]; skipped: string[] } {
  const started = startProgress(plan, trigger);
  const open: string[] = [];
  const skipped: string[] = [];
  const queue = [...started.ready];
  for (const id of queue) {
    const outcome = outcomes.get(id);
    if (outcome === undefined) {
      open.push(id);
      continue;
    }
    const step = settle(plan, started.progress, id, outcome);
    queue.push(...step.ready);
    skipped.push(...step.skipped);
  }
  return { progress: started.progress, ready: open, skipped };
}

/**
 * The run's status: failed as soon as a failure is not handled by its node's `on_error`, succeeded once every node within the
 * trigger's reach is decided.
 */
export function decideVerdict(progress: Progress): 'running' | 'succeeded' | 'failed' {
  if (progress.failedNode !== null) return 'failed';
  return progress.remaining === 0 ? 'succeeded' : 'running';
}
