import { walkNodes } from '#src/automation/blob/blob-nodes.rules.ts';
import type { WorkflowGraph, WorkflowNode } from '#src/automation/blob/blob.inputs.ts';
import type { WorkflowBundleContent } from '#src/automation/blob/bundle.rules.ts';
import { sameJson } from '#src/infra/json.ts';

/** The last attempt at a node of the reused run. */
export interface ReusedStep {
  path: string;
  status: string;
  branch: string | null;
}

/**
 * Ids of the nodes whose outputs a run of `next` may take from a run of `before`: they succeeded there, and neither they nor a node before
 * them differs in its definition, in the version that it resolves to, in its incoming edges, or in its pins.
 */
export function listReusable(
  before: WorkflowBundleContent,
  next: WorkflowBundleContent,
  steps: readonly ReusedStep[],
  changedPins: readonly string[],
): string[] {
  const old = new Map(before.blob.nodes.map((node) => [node.id, node]));
  const ended = new Map(steps.map(({ path, status }) => [path, status]));
  const repinned = new Set(changedPins.map((path) => path.split('/')[0]));
  const known = new Map<string, boolean>();
  const [oldEdges, newEdges] = [incomingEdges(before.blob), incomingEdges(next.blob)];
  const isSame = (node: WorkflowNode): boolean => {
    const was = old.get(node.id);
    const status = ended.get(node.id);
    return (
      was !== undefined &&
      (status === 'succeeded' || status === 'skipped') &&
      !repinned.has(node.id) &&
      sameJson(oldEdges.get(node.id) ?? [], newEdges.get(node.id) ?? []) &&
      sameJson(definition(was, before), definition(node, next))
    );
  };
  for (const node of inOrder(next.blob)) {
    const preceding = (newEdges.get(node.id) ?? []).flatMap(([source]) => (source === undefined ? [] : [source]));
    known.set(node.id, preceding.every((id) => known.get(id) === true) && isSame(node));
  }
  return [...known].flatMap(([id, same]) => (same && ended.get(id) === 'succeeded' ? [id] : []));
}

/** By node: from where and by which branch each edge comes; without a source from a trigger. Sorted. */
function incomingEdges({ edges }: WorkflowGraph): Map<string, [source: string | undefined, by: string][]> {
  const incoming = new Map<string, [string | undefined, string][]>();
  for (const { from, to } of edges) {
    const entries = incoming.get(to) ?? [];
    entries.push('node' in from ? [from.node, from.branch] : [undefined, from.trigger]);
    incoming.set(to, entries);
  }
  for (const entries of incoming.values()) entries.sort((a, b) => (String(a) < String(b) ? -1 : 1));
  return incoming;
}

/** What a node does, as far as its workflow decides: its blob, without where it is drawn, and the code that it resolves to. */
function definition(node: WorkflowNode, { nodes }: WorkflowBundleContent): unknown {
  return [...walkNodes({ nodes: [node], edges: [] })].map(({ path, node: { position: _drawn, ...inner } }) => ({
    ...inner,
    path,
    config:
      inner.node === 'core:for-each' ? { ...inner.config, body: edgesOfBody(inner.config['body']) } : inner.config,
    resolved: nodes[`${inner.node}@${inner.version}`],
  }));
}

const edgesOfBody = (body: unknown): unknown => (body as { edges?: unknown } | undefined)?.edges ?? [];

/** The nodes of a graph without cycles, each after those that precede it. */
function inOrder(graph: WorkflowGraph): WorkflowNode[] {
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  const left = new Map(graph.nodes.map(({ id }) => [id, 0]));
  const after = new Map<string, string[]>();
  for (const { from, to } of graph.edges) {
    if (!('node' in from)) continue;
    left.set(to, (left.get(to) ?? 0) + 1);
    after.set(from.node, [...(after.get(from.node) ?? []), to]);
  }
  const ready = [...left].flatMap(([id, count]) => (count === 0 ? [id] : []));
  for (const id of ready)
    for (const to of after.get(id) ?? []) {
      const count = (left.get(to) ?? 0) - 1;
      left.set(to, count);
      if (count === 0) ready.push(to);
    }
  return ready.flatMap((id) => byId.get(id) ?? []);
}
